// A bounded native scroller under an unbounded offset.
//
// Browsers stop believing in boxes beyond some 17 million CSS pixels (half of that at a device pixel ratio
// of 2), and positions inside large boxes lose their fractions. So the box that is really scrolled is at most
// a runway; `base` says where in the whole it lies, and it is laid anew while nothing moves, or in
// mid-flight only when its end is near.

export class Runway {
  static readonly MAX = 1_000_000;

  /** Height of everything. */
  total = 0;
  /** Height of the window onto it. */
  view = 0;
  /** Where the runway begins in the whole. */
  base = 0;

  constructor(private readonly max = Runway.MAX) {}

  /** Height of the box that is really scrolled. */
  get height(): number {
    return Math.max(Math.min(this.total, this.max), this.view);
  }

  /** The largest offset there is. */
  get end(): number {
    return Math.max(0, this.total - this.view);
  }

  clamp(offset: number): number {
    return Math.min(Math.max(offset, 0), this.end);
  }

  /** The whole's offset of a native one. */
  offset(native: number): number {
    return this.clamp(this.base + native);
  }

  /** Lays the runway around an offset and gives the native one. */
  lay(offset: number): number {
    const at = this.clamp(offset);
    const room = Math.max(0, this.total - this.height);
    this.base = Math.min(Math.max(at - (this.height - this.view) / 2, 0), room);
    return at - this.base;
  }

  /** Whether less than `margin` is left to scroll on the runway although there is more of the whole. */
  isShort(native: number, margin: number): boolean {
    const room = Math.max(0, this.total - this.height);
    return (native < margin && this.base > 0) || (native > this.height - this.view - margin && this.base < room);
  }
}
