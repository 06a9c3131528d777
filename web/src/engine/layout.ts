// Where every photo of a result is, exactly, from the first moment: rows of typed arrays, no estimates.
//
// A million photos take some 70 ms, so the whole is laid out again whenever the width or the height of rows
// changes. Photos keep their shape (justified) or fill squares; a day begins a new row under a header.

export interface LayoutOptions {
  /** Width to fill, in CSS pixels. */
  width: number;
  /** Height of a row, or the side of a square, that is aimed at. */
  target: number;
  gap: number;
  /** Height of a day's header; 0 for no headers. */
  header: number;
  square: boolean;
}

/** A box in the layout; `y` is measured from the top of everything. */
export interface Box {
  x: number;
  y: number;
  width: number;
  height: number;
}

const FALLBACK_ASPECT = 1500;
/** A last row that is filled this far is stretched like the others. */
const NEARLY_FULL = 0.82;

export class Layout {
  private constructor(
    readonly options: LayoutOptions,
    private readonly aspect: Uint16Array,
    readonly count: number,
    /** First position of each row, and the count of photos as the last entry. */
    readonly first: Uint32Array,
    /** Top of each row's photos, and the end of everything as the last entry. */
    readonly top: Float64Array,
    readonly height: Float32Array,
    /** 1 where a day begins with this row. */
    readonly opensDay: Uint8Array,
    readonly total: number,
  ) {}

  get rows(): number {
    return this.height.length;
  }

  /** Lays out photos of these shapes; `dayAt` tells days apart and is not called without headers. */
  static of(aspect: Uint16Array, dayAt: (position: number) => number, options: LayoutOptions): Layout {
    const { width, target, gap, header, square } = options;
    const count = aspect.length;
    const grow = new Rows(Math.max(16, Math.ceil(count / 3)));
    const columns = Math.max(1, Math.floor((width + gap) / (target + gap)));
    const side = (width - gap * (columns - 1)) / columns;
    let y = 0;
    let first = 0;
    let sum = 0;
    let opens = false;
    let day = NaN;
    const close = (end: number, height: number): void => {
      grow.add(first, y, height, opens);
      y += height + gap;
      first = end;
      sum = 0;
      opens = false;
    };
    const stretched = (shapes: number, photos: number): number => (width - gap * (photos - 1)) / shapes;
    const closeShort = (end: number): void => {
      if (first === end) return;
      const filled = (sum * target + gap * (end - first - 1)) / width;
      close(end, square ? side : filled >= NEARLY_FULL ? stretched(sum, end - first) : target);
    };
    for (let i = 0; i < count; i++) {
      if (header > 0) {
        const today = dayAt(i);
        if (today !== day) {
          closeShort(i);
          day = today;
          y += header;
          opens = true;
        }
      }
      const shape = (aspect[i] || FALLBACK_ASPECT) / 1000;
      if (square) {
        sum += 1;
        if (i + 1 - first === columns) close(i + 1, side);
        continue;
      }
      const photos = i + 1 - first;
      if ((sum + shape) * target + gap * (photos - 1) < width) {
        sum += shape;
        continue;
      }
      // The row is full with this photo, or was without it: whichever is nearer to the height aimed at.
      const withIt = stretched(sum + shape, photos);
      const without = photos > 1 ? stretched(sum, photos - 1) : Infinity;
      if (without / target < target / withIt) {
        close(i, without);
        sum = shape;
      } else {
        close(i + 1, withIt);
      }
    }
    closeShort(count);
    const total = count === 0 ? 0 : y - gap;
    return new Layout(options, aspect, count, ...grow.finish(count, total), total);
  }

  /** The row that covers a height, or the one before the gap or header that does. */
  rowAt(y: number): number {
    let [low, high] = [0, this.rows];
    while (low + 1 < high) {
      const middle = (low + high) >> 1;
      if (this.top[middle] - (this.opensDay[middle] ? this.options.header : 0) <= y) low = middle;
      else high = middle;
    }
    return low;
  }

  /** The row of a position. */
  rowOf(position: number): number {
    let [low, high] = [0, this.rows];
    while (low + 1 < high) {
      const middle = (low + high) >> 1;
      if (this.first[middle] <= position) low = middle;
      else high = middle;
    }
    return low;
  }

  /** Calls back with each photo of a row and where it is. */
  eachInRow(row: number, visit: (position: number, x: number, width: number) => void): void {
    const { gap, square } = this.options;
    const height = this.height[row];
    let x = 0;
    for (let i = this.first[row]; i < this.first[row + 1]; i++) {
      const width = square ? height : (height * (this.aspect[i] || FALLBACK_ASPECT)) / 1000;
      visit(i, x, width);
      x += width + gap;
    }
  }

  boxOf(position: number): Box {
    const row = this.rowOf(position);
    const box = { x: 0, y: this.top[row] ?? 0, width: 0, height: this.height[row] ?? 0 };
    if (row < this.rows) {
      this.eachInRow(row, (i, x, width) => {
        if (i === position) Object.assign(box, { x, width });
      });
    }
    return box;
  }

  /** The position one row up (-1) or down (1) that lies nearest below or above this one's middle. */
  vertical(position: number, direction: -1 | 1): number {
    const row = this.rowOf(position) + direction;
    if (row < 0 || row >= this.rows) return position;
    const from = this.boxOf(position);
    return this.nearestInRow(row, from.x + from.width / 2);
  }

  nearestInRow(row: number, x: number): number {
    let [best, distance] = [this.first[row], Infinity];
    this.eachInRow(row, (i, left, width) => {
      const away = Math.abs(left + width / 2 - x);
      if (away < distance) [best, distance] = [i, away];
    });
    return best;
  }
}

/** Columns that grow. */
class Rows {
  private length = 0;
  private first: Uint32Array;
  private top: Float64Array;
  private height: Float32Array;
  private opens: Uint8Array;

  constructor(private room: number) {
    this.first = new Uint32Array(room + 1);
    this.top = new Float64Array(room + 1);
    this.height = new Float32Array(room);
    this.opens = new Uint8Array(room);
  }

  add(first: number, top: number, height: number, opens: boolean): void {
    if (this.length === this.room) this.double();
    const at = this.length++;
    this.first[at] = first;
    this.top[at] = top;
    this.height[at] = height;
    this.opens[at] = opens ? 1 : 0;
  }

  finish(count: number, total: number): [Uint32Array, Float64Array, Float32Array, Uint8Array] {
    const n = this.length;
    this.first[n] = count;
    this.top[n] = total;
    return [this.first.slice(0, n + 1), this.top.slice(0, n + 1), this.height.slice(0, n), this.opens.slice(0, n)];
  }

  private double(): void {
    this.room *= 2;
    const [first, top] = [new Uint32Array(this.room + 1), new Float64Array(this.room + 1)];
    const [height, opens] = [new Float32Array(this.room), new Uint8Array(this.room)];
    first.set(this.first);
    top.set(this.top);
    height.set(this.height);
    opens.set(this.opens);
    Object.assign(this, { first, top, height, opens });
  }
}
