// The result of a query as columns: twelve bytes a photo, no object a photo.
//
// The server sends it in one piece (see `parse`); marks are changed in place, photos that an import adds are
// merged by capture time. A *position* is a place in this order; a *row* is the photo's number in the
// catalogue and stays when positions move.

export const MAGIC = 0x3149464c; // "LFI1", little endian
const HEAD = 32;

/** Flags of a photo, in the bits 3 and 4 of its marks. */
export const enum Flag {
  None = 0,
  Pick = 1,
  Reject = 2,
}

export const LABELS = ["none", "red", "yellow", "green", "blue", "purple"] as const;
export type LabelName = (typeof LABELS)[number];

const VIDEO = 1 << 8;
const STACK = 1 << 9;

export const ratingOf = (marks: number): number => marks & 7;
export const flagOf = (marks: number): Flag => (marks >> 3) & 3;
export const labelOf = (marks: number): number => (marks >> 5) & 7;
export const isVideo = (marks: number): boolean => (marks & VIDEO) !== 0;
export const isStack = (marks: number): boolean => (marks & STACK) !== 0;
/** Quarter turns clockwise that a person added. */
export const turnsOf = (marks: number): number => (marks >> 12) & 3;

export const withRating = (marks: number, rating: number): number => (marks & ~7) | rating;
export const withFlag = (marks: number, flag: Flag): number => (marks & ~(3 << 3)) | (flag << 3);
export const withLabel = (marks: number, label: number): number => (marks & ~(7 << 5)) | (label << 5);
export const withTurns = (marks: number, turns: number): number => (marks & ~(3 << 12)) | ((turns & 3) << 12);

export class PhotoIndex {
  /** Where each row is, or -1; made when first asked for. */
  private places: Int32Array | undefined;

  constructor(
    readonly rows: Uint32Array,
    /** Seconds since 1970 of the local capture time; NaN where unknown. */
    readonly taken: Float64Array,
    /** Width by height as shown, in thousandths. */
    readonly aspect: Uint16Array,
    readonly marks: Uint16Array,
    /** The catalogue's state when this was read. */
    public revision: number,
    /** The highest row of the catalogue when this was read, whether it matched or not. */
    readonly lastRow: number,
    /** In an answer about changes alone: photos that do not match, or do not any more. */
    readonly gone: Uint32Array = new Uint32Array(0),
  ) {}

  static readonly empty = new PhotoIndex(
    new Uint32Array(0),
    new Float64Array(0),
    new Uint16Array(0),
    new Uint16Array(0),
    0,
    0,
  );

  get length(): number {
    return this.rows.length;
  }

  /** Reads the server's columns. Throws where the bytes are not an index. */
  static parse(bytes: ArrayBuffer): PhotoIndex {
    const head = new DataView(bytes);
    if (bytes.byteLength < HEAD || head.getUint32(0, true) !== MAGIC) throw new Error("the answer is not an index");
    const count = head.getUint32(4, true);
    const gone = head.getUint32(28, true);
    if (bytes.byteLength !== HEAD + count * 12 + gone * 4) throw new Error("the index is cut short");
    const base = Number(head.getBigInt64(16, true));
    const offsets = new Uint32Array(bytes, HEAD + count * 4, count);
    const taken = new Float64Array(count);
    for (let i = 0; i < count; i++) taken[i] = offsets[i] === 0xffffffff ? NaN : base + offsets[i];
    return new PhotoIndex(
      new Uint32Array(bytes, HEAD, count),
      taken,
      new Uint16Array(bytes, HEAD + count * 8, count),
      new Uint16Array(bytes, HEAD + count * 10, count),
      Number(head.getBigUint64(8, true)),
      head.getUint32(24, true),
      new Uint32Array(bytes.slice(HEAD + count * 12)),
    );
  }

  /** The position of a row, or -1. */
  positionOf(row: number): number {
    if (!this.places) {
      let top = 0;
      for (const r of this.rows) if (r > top) top = r;
      this.places = new Int32Array(top + 1).fill(-1);
      for (let i = 0; i < this.rows.length; i++) this.places[this.rows[i]] = i;
    }
    return this.places[row] ?? -1;
  }

  /** Day number (since 1970) of a position; -Infinity where the time is unknown. */
  dayAt(position: number): number {
    const taken = this.taken[position];
    return Number.isNaN(taken) ? -Infinity : Math.floor(taken / 86400);
  }

  /**
   * Takes over changes that move nothing (marks of photos that are here), in place; whether that was all. Most changes
   * are such, and a million photos need not be laid out anew for a star.
   */
  patch(changes: PhotoIndex): boolean {
    for (const row of changes.gone) if (this.positionOf(row) >= 0) return false;
    const places = Array.from(changes.rows, (row) => this.positionOf(row));
    const stays = (at: number, i: number): boolean =>
      at >= 0 && Object.is(this.taken[at], changes.taken[i]) && this.aspect[at] === changes.aspect[i];
    if (!places.every(stays)) return false;
    places.forEach((at, i) => (this.marks[at] = changes.marks[i]));
    this.revision = changes.revision;
    return true;
  }

  /**
   * This index with changes merged in by capture time, then row, as the server sorts; photos that are in both
   * come from `added`, and those that are gone go. `newestFirst` is the server's order.
   */
  merged(added: PhotoIndex, newestFirst: boolean): PhotoIndex {
    const gone = new Set<number>();
    for (const rows of [added.rows, added.gone]) {
      for (const row of rows) {
        const at = this.positionOf(row);
        if (at >= 0) gone.add(at);
      }
    }
    if (added.length === 0 && gone.size === 0) return this;
    const kept = this.length - gone.size;
    const count = kept + added.length;
    const rows = new Uint32Array(count);
    const taken = new Float64Array(count);
    const aspect = new Uint16Array(count);
    const marks = new Uint16Array(count);
    const before = (a: PhotoIndex, i: number, b: PhotoIndex, j: number): boolean => {
      const [x, y] = [a.taken[i], b.taken[j]];
      if (Number.isNaN(x) || Number.isNaN(y)) {
        if (Number.isNaN(x) !== Number.isNaN(y)) return Number.isNaN(y);
        return newestFirst ? a.rows[i] > b.rows[j] : a.rows[i] < b.rows[j];
      }
      if (x !== y) return newestFirst ? x > y : x < y;
      return newestFirst ? a.rows[i] > b.rows[j] : a.rows[i] < b.rows[j];
    };
    let [i, j] = [0, 0];
    for (let k = 0; k < count; k++) {
      while (i < this.length && gone.has(i)) i++;
      const fromThis = j >= added.length || (i < this.length && before(this, i, added, j));
      const [source, at] = fromThis ? [this, i++] : [added, j++];
      rows[k] = source.rows[at];
      taken[k] = source.taken[at];
      aspect[k] = source.aspect[at];
      marks[k] = source.marks[at];
    }
    return new PhotoIndex(rows, taken, aspect, marks, added.revision, Math.max(this.lastRow, added.lastRow));
  }
}

/** Writes an index as the server does; for tests and for the size of things. */
export function encode(index: PhotoIndex): ArrayBuffer {
  const count = index.length;
  const bytes = new ArrayBuffer(HEAD + count * 12 + index.gone.length * 4);
  const head = new DataView(bytes);
  let base = Infinity;
  for (const t of index.taken) if (t < base) base = t;
  if (!Number.isFinite(base)) base = 0;
  head.setUint32(0, MAGIC, true);
  head.setUint32(4, count, true);
  head.setBigUint64(8, BigInt(index.revision), true);
  head.setBigInt64(16, BigInt(base), true);
  head.setUint32(24, index.lastRow, true);
  head.setUint32(28, index.gone.length, true);
  new Uint32Array(bytes, HEAD + count * 12, index.gone.length).set(index.gone);
  new Uint32Array(bytes, HEAD, count).set(index.rows);
  new Uint32Array(bytes, HEAD + count * 4, count).set(
    Array.from(index.taken, (t) => (Number.isNaN(t) ? 0xffffffff : t - base)),
  );
  new Uint16Array(bytes, HEAD + count * 8, count).set(index.aspect);
  new Uint16Array(bytes, HEAD + count * 10, count).set(index.marks);
  return bytes;
}
