// Which photos are selected, by row, so that a selection holds while an import moves positions.
//
// One byte a row: selecting a million photos is one fill, asking for one is one look. The active photo is
// the one that the loupe shows and keys begin from; it may or may not be selected.

import type { PhotoIndex } from "./index";

export class Selection {
  /** The row that arrows move from; -1 for none. */
  active = -1;
  /** Where a range begins. */
  private anchor = -1;
  private bits = new Uint8Array(1024);
  private size = 0;

  get count(): number {
    return this.size;
  }

  has(row: number): boolean {
    return this.bits[row] === 1;
  }

  clear(): void {
    if (this.size > 0) this.bits.fill(0);
    this.size = 0;
  }

  /** Only this photo. */
  only(row: number): void {
    this.clear();
    this.put(row, true);
    this.active = this.anchor = row;
  }

  toggle(row: number): void {
    this.put(row, !this.has(row));
    this.active = this.anchor = row;
  }

  /** From the anchor to this row, in the order of the index; `added` keeps what was selected before. */
  range(index: PhotoIndex, row: number, added: boolean): void {
    const to = index.positionOf(row);
    let from = index.positionOf(this.anchor);
    if (to < 0) return;
    if (from < 0) {
      from = to;
      this.anchor = row;
    }
    if (!added) this.clear();
    for (let i = Math.min(from, to); i <= Math.max(from, to); i++) this.put(index.rows[i], true);
    this.active = row;
  }

  all(index: PhotoIndex): void {
    for (const row of index.rows) this.put(row, true);
  }

  /** Forgets photos that are not in the result any more. */
  keepOnly(index: PhotoIndex): void {
    const rows = this.rows().filter((row) => index.positionOf(row) >= 0);
    this.clear();
    for (const row of rows) this.put(row, true);
    if (index.positionOf(this.active) < 0) this.active = -1;
    if (index.positionOf(this.anchor) < 0) this.anchor = this.active;
  }

  rows(): number[] {
    const rows: number[] = [];
    if (this.size > 0) for (let row = 0; row < this.bits.length; row++) if (this.bits[row] === 1) rows.push(row);
    return rows;
  }

  /** What a mark hits: the selection in the grid where there is one, else the active photo alone. */
  targets(wholeSelection: boolean): number[] {
    if (wholeSelection && this.size > 0) return this.rows();
    return this.active < 0 ? [] : [this.active];
  }

  private put(row: number, on: boolean): void {
    if (row >= this.bits.length) {
      const bits = new Uint8Array(Math.max(row + 1, this.bits.length * 2));
      bits.set(this.bits);
      this.bits = bits;
    }
    if (this.has(row) === on) return;
    this.bits[row] = on ? 1 : 0;
    this.size += on ? 1 : -1;
  }
}
