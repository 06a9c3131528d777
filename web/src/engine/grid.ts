// The grid: a window onto the layout, drawn with a bounded number of recycled nodes.
//
// Nothing here is reactive and no photo has an object of its own. A frame looks up which rows are in sight,
// hands freed nodes to the photos that came in, and touches nothing else. Pictures are asked for once a place
// stays in sight for a moment, so that a fling through ten thousand photos does not ask for ten thousand; a node
// that is given away drops its request.

import { flagOf, Flag, isStack, isVideo, labelOf, LABELS, ratingOf, turnsOf, PhotoIndex } from "./index";
import { HoverClip } from "./hover";
import { Layout } from "./layout";
import { Runway } from "./runway";
import { dayText, Scrubber, ticks } from "./scrubber";
import type { Selection } from "./selection";

export interface GridHost {
  /** Address of a thumbnail. */
  thumbnail(row: number): string;
  open(row: number): void;
  /** The selection was changed by the mouse. */
  selected(): void;
  menu(row: number, x: number, y: number): void;
  /** Address of a clip's own file. */
  clip(row: number): string;
  /** Alternative text and tooltip, where more than the number is known. */
  name(row: number): string | undefined;
}

export interface GridOptions {
  target: number;
  square: boolean;
  days: boolean;
}

/** Tiles in the page at most; each is a box and a picture. */
export const MAX_TILES = 180;
const GAP = 4;
const MARGIN = 12;
const HEADER = 44;
/** Pixels a millisecond above which pictures are not asked for. */
const TOO_FAST = 6;
const SETTLE_MS = 60;
const STAR = "★";

interface Tile {
  element: HTMLDivElement;
  picture: HTMLImageElement;
  position: number;
  row: number;
  x: number;
  /** Top in the whole, not in the runway. */
  y: number;
  /** What is drawn, so that nothing is written twice. */
  source: string;
  marks: number;
  state: number;
}

export class Grid {
  readonly element = document.createElement("div");
  readonly scrubber: Scrubber;
  /** Longest and latest main-thread work of one frame, in milliseconds; for the budget run. */
  readonly frames: number[] = [];
  private readonly scroller = document.createElement("div");
  private readonly spacer = document.createElement("div");
  private readonly runway = new Runway();
  private index = PhotoIndex.empty;
  private layout = Layout.of(new Uint16Array(0), () => 0, { width: 1, target: 1, gap: 0, header: 0, square: true });
  private options: GridOptions = { target: 200, square: false, days: true };
  private readonly tiles = new Map<number, Tile>();
  private readonly free: Tile[] = [];
  /** Tiles of the layout before, by row, until the next frame has taken those it can use. */
  private readonly kept = new Map<number, Tile>();
  private readonly headers = new Map<number, HTMLDivElement>();
  private readonly failed = new Set<number>();
  private readonly hover = new HoverClip();
  private scheduled = false;
  private lastOffset = 0;
  private lastTime = 0;
  private settle = 0;
  private relay = 0;
  private quiet = false;
  /** The layout is not of the index that is to be shown: the grid had no width when it came. */
  private stale = false;
  /** Out of sight. */
  private away = false;

  constructor(
    private readonly host: GridHost,
    private readonly selection: Selection,
  ) {
    this.element.className = "grid";
    this.scroller.className = "grid-scroller";
    this.scroller.tabIndex = 0;
    this.scroller.setAttribute("role", "listbox");
    this.scroller.setAttribute("aria-multiselectable", "true");
    this.scroller.setAttribute("aria-label", "Photos");
    this.spacer.className = "grid-spacer";
    this.spacer.setAttribute("role", "presentation");
    this.scroller.append(this.spacer);
    this.scrubber = new Scrubber({
      offset: () => this.offset,
      end: () => this.runway.end,
      page: () => this.runway.view,
      scrollTo: (offset) => this.scrollTo(offset),
      describe: (offset) => this.describe(offset),
    });
    this.element.append(this.scroller, this.scrubber.element);
    this.scroller.addEventListener("scroll", () => this.scrolled(), { passive: true });
    this.scroller.addEventListener("pointermove", (e) => this.hovered(e), { passive: true });
    this.scroller.addEventListener("pointerleave", () => this.hover.leave());
    this.scroller.addEventListener("click", (e) => this.clicked(e));
    this.scroller.addEventListener("dblclick", (e) => this.onTile(e, (row) => this.host.open(row)));
    this.scroller.addEventListener("contextmenu", (e) =>
      this.onTile(e, (row) => {
        e.preventDefault();
        this.host.menu(row, e.clientX, e.clientY);
      }),
    );
    new ResizeObserver(() => this.resized()).observe(this.scroller);
  }

  /** The offset of the top of the window in the whole. */
  get offset(): number {
    return this.runway.offset(this.scroller.scrollTop);
  }

  get length(): number {
    return this.index.length;
  }

  /** Photos that are in the window now, first and last position. */
  visible(): [first: number, last: number] {
    const from = this.layout.rowAt(this.offset);
    const to = this.layout.rowAt(this.offset + this.runway.view);
    return [this.layout.first[from] ?? 0, (this.layout.first[to + 1] ?? 1) - 1];
  }

  /** Shows another result. The photo at the top of the window stays there where it is in both. */
  setIndex(index: PhotoIndex, keepPlace: boolean): void {
    const anchor = keepPlace ? this.anchor() : undefined;
    this.index = index;
    this.lay(anchor);
  }

  setOptions(options: GridOptions): void {
    const anchor = this.anchor();
    this.options = { ...options };
    this.lay(anchor);
  }

  /** Marks or the selection changed: redraws what is in sight, now. */
  refresh(): void {
    for (const tile of this.tiles.values()) this.drawMarks(tile);
    this.announceActive();
  }

  /** A thumbnail that failed may be there now. */
  retry(rows?: number[]): void {
    if (rows) for (const row of rows) this.failed.delete(row);
    else this.failed.clear();
    for (const tile of this.tiles.values()) {
      if (!this.failed.has(tile.row) && tile.element.classList.contains("failed")) {
        tile.element.classList.remove("failed");
        tile.source = "";
      }
    }
    this.schedule();
  }

  focus(): void {
    this.scroller.focus({ preventScroll: true });
  }

  /** Scrolls no more than needed to show a photo whole. */
  reveal(position: number): void {
    if (position < 0 || position >= this.index.length) return;
    const box = this.layout.boxOf(position);
    const top = box.y + MARGIN - (this.layout.opensDay[this.layout.rowOf(position)] ? HEADER : GAP);
    const bottom = box.y + MARGIN + box.height + GAP;
    if (top < this.offset) this.scrollTo(top);
    else if (bottom > this.offset + this.runway.view) this.scrollTo(bottom - this.runway.view);
  }

  scrollTo(offset: number): void {
    const at = this.runway.clamp(offset);
    const native = at - this.runway.base;
    if (native < 0 || native > this.runway.height - this.runway.view || this.runway.isShort(native, this.runway.view)) {
      this.moveTo(this.runway.lay(at));
    } else {
      this.scroller.scrollTop = native;
    }
    this.schedule();
  }

  /** The position that an arrow key leads to. */
  step(position: number, key: "left" | "right" | "up" | "down" | "pageup" | "pagedown" | "home" | "end"): number {
    const last = this.index.length - 1;
    if (position < 0) return key === "end" ? last : Math.min(last, this.visible()[0]);
    switch (key) {
      case "left":
        return Math.max(0, position - 1);
      case "right":
        return Math.min(last, position + 1);
      case "up":
        return this.layout.vertical(position, -1);
      case "down":
        return this.layout.vertical(position, 1);
      case "home":
        return 0;
      case "end":
        return last;
      default: {
        const box = this.layout.boxOf(position);
        const y = box.y + (key === "pageup" ? -1 : 1) * this.runway.view * 0.9;
        const row = this.layout.rowAt(Math.min(Math.max(0, y), this.layout.total));
        return this.layout.nearestInRow(row, box.x + box.width / 2);
      }
    }
  }

  private anchor(): { row: number; y: number } | undefined {
    // While the grid was out of sight another result may have come, of which there is no layout yet.
    if (this.index.length === 0 || this.stale) return undefined;
    const active = this.index.positionOf(this.selection.active);
    const [first, last] = this.visible();
    const position = active >= first && active <= last ? active : first;
    return { row: this.index.rows[position], y: this.layout.boxOf(position).y - this.offset };
  }

  private lay(anchor?: { row: number; y: number }): void {
    const width = this.scroller.clientWidth - 2 * MARGIN;
    this.stale = width <= 0;
    if (this.stale) return;
    for (const tile of this.tiles.values()) this.kept.set(tile.row, tile);
    this.tiles.clear();
    for (const header of this.headers.values()) header.remove();
    this.headers.clear();
    const { target, square, days } = this.options;
    const index = this.index;
    this.layout = Layout.of(index.aspect, (i) => index.dayAt(i), {
      width,
      target,
      gap: GAP,
      header: days ? HEADER : 0,
      square,
    });
    this.runway.total = this.layout.total + 2 * MARGIN;
    this.runway.view = this.scroller.clientHeight;
    this.spacer.style.height = `${this.runway.height}px`;
    const at = anchor ? index.positionOf(anchor.row) : -1;
    const offset = at >= 0 && anchor ? this.layout.boxOf(at).y - anchor.y : anchor ? this.offset : 0;
    this.moveTo(this.runway.lay(offset));
    this.scrubber.setTicks(days ? ticks(index, this.layout) : [], this.runway.total);
    this.draw();
  }

  private resized(): void {
    const [width, height] = [this.scroller.clientWidth, this.scroller.clientHeight];
    if (width === 0) {
      this.away = true;
      return;
    }
    const back = this.away;
    this.away = false;
    if (this.stale || width - 2 * MARGIN !== this.layout.options.width) {
      this.lay(this.anchor());
    } else if (height !== this.runway.view) {
      const offset = this.offset;
      this.runway.view = height;
      this.spacer.style.height = `${this.runway.height}px`;
      this.moveTo(this.runway.lay(offset));
      this.scrubber.draw();
      this.schedule();
    } else if (back) {
      // A box that is not shown forgets how far it was scrolled.
      this.moveTo(this.runway.lay(this.lastOffset));
    }
  }

  /** Sets the native offset without taking it for the person's. */
  private moveTo(native: number): void {
    this.quiet = true;
    this.scroller.scrollTop = native;
    for (const tile of this.tiles.values()) this.put(tile);
    for (const [row, header] of this.headers) this.putHeader(row, header);
    this.schedule();
  }

  private hovered(event: PointerEvent): void {
    const tile = event.target instanceof Element ? event.target.closest<HTMLElement>(".tile.is-clip") : null;
    if (!tile || event.pointerType === "touch") return this.hover.leave();
    const box = tile.getBoundingClientRect();
    const row = Number(tile.id.slice("photo-".length));
    this.hover.over(tile, (event.clientX - box.left) / Math.max(1, box.width), () => this.host.clip(row));
  }

  private scrolled(): void {
    this.hover.leave();
    if (this.quiet) {
      this.quiet = false;
    } else if (this.runway.isShort(this.scroller.scrollTop, 4 * this.runway.view)) {
      this.moveTo(this.runway.lay(this.offset));
    }
    clearTimeout(this.relay);
    this.relay = window.setTimeout(() => {
      const native = this.scroller.scrollTop;
      if (this.runway.isShort(native, this.runway.height / 4)) this.moveTo(this.runway.lay(this.runway.offset(native)));
    }, 400);
    this.schedule();
  }

  private schedule(): void {
    if (this.scheduled) return;
    this.scheduled = true;
    requestAnimationFrame(() => {
      this.scheduled = false;
      this.draw();
    });
  }

  /** One frame. */
  private draw(): void {
    if (this.away) return;
    const began = performance.now();
    const offset = this.offset;
    const view = this.runway.view;
    const speed = Math.abs(offset - this.lastOffset) / Math.max(1, began - this.lastTime);
    const down = offset >= this.lastOffset;
    this.lastOffset = offset;
    this.lastTime = began;
    const fast = speed > TOO_FAST && Math.abs(offset - this.runway.clamp(offset)) < 1 && this.frames.length > 0;
    const wanted = this.wanted(offset, view, down);
    for (const [position, tile] of this.tiles) {
      if (position >= wanted.first && position <= wanted.last) continue;
      this.tiles.delete(position);
      this.release(tile);
    }
    const headers = new Set<number>();
    for (let row = wanted.firstRow; row <= wanted.lastRow && this.layout.rows > 0; row++) {
      if (this.layout.opensDay[row]) {
        headers.add(row);
        this.drawHeader(row);
      }
      const [top, height] = [this.layout.top[row], this.layout.height[row]];
      this.layout.eachInRow(row, (position, x, width) => {
        if (position > wanted.last) return;
        const tile = this.tiles.get(position) ?? this.take(position, x, top, width, height);
        if (!fast) this.load(tile);
      });
    }
    for (const tile of this.kept.values()) this.release(tile);
    this.kept.clear();
    for (const [row, header] of this.headers) {
      if (!headers.has(row)) {
        header.remove();
        this.headers.delete(row);
      }
    }
    if (fast) {
      clearTimeout(this.settle);
      this.settle = window.setTimeout(() => this.schedule(), SETTLE_MS);
    }
    this.scrubber.moved();
    this.announceActive();
    this.frames.push(performance.now() - began);
    if (this.frames.length > 5000) this.frames.splice(0, 2500);
  }

  /** Rows in sight, and as many beyond, more in the direction of travel, as tiles allow. */
  private wanted(offset: number, view: number, down: boolean): { firstRow: number; lastRow: number; first: number; last: number } {
    let firstRow = this.layout.rowAt(offset - MARGIN);
    let lastRow = this.layout.rowAt(offset + view);
    const room = (): number => MAX_TILES - ((this.layout.first[lastRow + 1] ?? 0) - this.layout.first[firstRow]);
    const tall = (from: number, to: number): number => this.layout.top[Math.max(0, to)] - this.layout.top[Math.max(0, from)];
    const [ahead, behind] = [view * 0.75, view * 0.35];
    const [last, first] = [lastRow, firstRow];
    while (lastRow + 1 < this.layout.rows && tall(last, lastRow) < (down ? ahead : behind)) {
      lastRow++;
      if (room() < 0) {
        lastRow--;
        break;
      }
    }
    while (firstRow > 0 && tall(firstRow, first) < (down ? behind : ahead)) {
      firstRow--;
      if (room() < 0) {
        firstRow++;
        break;
      }
    }
    const start = this.layout.first[firstRow] ?? 0;
    const end = Math.min((this.layout.first[lastRow + 1] ?? 0) - 1, start + MAX_TILES - 1);
    return { firstRow, lastRow, first: start, last: end };
  }

  private take(position: number, x: number, y: number, width: number, height: number): Tile {
    const row = this.index.rows[position];
    const before = this.kept.get(row);
    const tile = before ?? this.free.pop() ?? this.make();
    this.kept.delete(row);
    Object.assign(tile, { position, row, x, y, marks: -1, state: -1 });
    if (!before) {
      tile.element.style.display = "";
      tile.element.id = `photo-${row}`;
      tile.element.classList.toggle("failed", this.failed.has(row));
    }
    tile.element.style.width = `${width.toFixed(2)}px`;
    tile.element.style.height = `${height.toFixed(2)}px`;
    tile.element.setAttribute("aria-posinset", String(position + 1));
    tile.element.setAttribute("aria-setsize", String(this.index.length));
    this.put(tile);
    this.turn(tile, width, height);
    this.drawMarks(tile);
    this.tiles.set(position, tile);
    return tile;
  }

  private put(tile: Tile): void {
    const [x, y] = [tile.x + MARGIN, tile.y + MARGIN - this.runway.base];
    tile.element.style.transform = `translate(${x.toFixed(2)}px, ${y.toFixed(2)}px)`;
  }

  private turn(tile: Tile, width: number, height: number): void {
    const turns = turnsOf(this.index.marks[tile.position]);
    const style = tile.picture.style;
    if (turns === 0) {
      style.width = style.height = style.transform = "";
      return;
    }
    const [w, h] = turns % 2 ? [height, width] : [width, height];
    style.width = `${w}px`;
    style.height = `${h}px`;
    style.transform = `translate(${(width - w) / 2}px, ${(height - h) / 2}px) rotate(${turns * 90}deg)`;
  }

  private make(): Tile {
    const element = document.createElement("div");
    element.className = "tile";
    element.setAttribute("role", "option");
    const picture = document.createElement("img");
    picture.decoding = "async";
    picture.draggable = false;
    picture.alt = "";
    element.append(picture);
    this.spacer.append(element);
    const tile: Tile = { element, picture, position: -1, row: -1, x: 0, y: 0, source: "", marks: -1, state: -1 };
    picture.addEventListener("load", () => element.classList.add("loaded"));
    picture.addEventListener("error", () => {
      if (tile.source === "") return;
      this.failed.add(tile.row);
      element.classList.add("failed");
    });
    return tile;
  }

  private load(tile: Tile): void {
    if (tile.source !== "" || this.failed.has(tile.row)) return;
    tile.source = this.host.thumbnail(tile.row);
    tile.element.classList.remove("loaded");
    tile.picture.src = tile.source;
  }

  private release(tile: Tile): void {
    tile.source = "";
    tile.picture.removeAttribute("src");
    tile.element.classList.remove("loaded", "failed");
    tile.element.style.display = "none";
    tile.element.removeAttribute("id");
    this.free.push(tile);
  }

  private drawHeader(row: number): void {
    if (this.headers.has(row)) return;
    const header = document.createElement("div");
    header.className = "day";
    header.setAttribute("role", "presentation");
    header.textContent = dayText(this.index.dayAt(this.layout.first[row]), "day");
    this.headers.set(row, header);
    this.putHeader(row, header);
    this.spacer.append(header);
  }

  private putHeader(row: number, header: HTMLElement): void {
    const y = this.layout.top[row] - HEADER + MARGIN - this.runway.base;
    header.style.transform = `translate(${MARGIN}px, ${y.toFixed(2)}px)`;
  }

  private drawMarks(tile: Tile): void {
    const marks = this.index.marks[tile.position];
    const state = (this.selection.has(tile.row) ? 1 : 0) | (this.selection.active === tile.row ? 2 : 0);
    const { element } = tile;
    if (tile.state !== state) {
      tile.state = state;
      element.classList.toggle("selected", (state & 1) !== 0);
      element.classList.toggle("active", (state & 2) !== 0);
      element.setAttribute("aria-selected", String((state & 1) !== 0));
    }
    if (tile.marks === marks) return;
    if (tile.marks >= 0 && turnsOf(tile.marks) !== turnsOf(marks)) {
      const box = this.layout.boxOf(tile.position);
      this.turn(tile, box.width, box.height);
    }
    tile.marks = marks;
    const [rating, flag, label] = [ratingOf(marks), flagOf(marks), labelOf(marks)];
    const name = LABELS[label];
    const stars = STAR.repeat(rating);
    const badge = flag === Flag.Pick ? "⚑" : flag === Flag.Reject ? "✕" : "";
    const kind = isVideo(marks) ? "▶" : isStack(marks) ? "⧉" : "";
    const info = [label ? name[0].toUpperCase() : "", stars, kind].filter(Boolean).join(" ");
    set(element, "flag", badge);
    set(element, "info", info);
    set(element, "label", label ? name : "");
    element.classList.toggle("rejected", flag === Flag.Reject);
    element.classList.toggle("is-clip", isVideo(marks));
    element.classList.toggle("picked", flag === Flag.Pick);
    const said = [
      this.host.name(tile.row) ?? `Photo ${tile.position + 1}`,
      isVideo(marks) ? "video" : "",
      flag === Flag.Pick ? "picked" : flag === Flag.Reject ? "rejected" : "",
      rating ? `${rating} stars` : "",
      label ? `${name} label` : "",
    ];
    element.setAttribute("aria-label", said.filter(Boolean).join(", "));
  }

  private announceActive(): void {
    const position = this.index.positionOf(this.selection.active);
    const tile = this.tiles.get(position);
    if (tile) this.scroller.setAttribute("aria-activedescendant", tile.element.id);
    else this.scroller.removeAttribute("aria-activedescendant");
  }

  private describe(offset: number): string {
    if (this.index.length === 0) return "";
    const position = this.layout.first[this.layout.rowAt(offset)] ?? 0;
    if (this.options.days) return dayText(this.index.dayAt(position), "month");
    return `${(position + 1).toLocaleString()} of ${this.index.length.toLocaleString()}`;
  }

  private onTile(event: Event, then: (row: number) => void): boolean {
    const element = event.target instanceof Element ? event.target.closest(".tile") : null;
    if (!element?.id.startsWith("photo-")) return false;
    then(Number(element.id.slice("photo-".length)));
    return true;
  }

  private clicked(event: MouseEvent): void {
    const hit = this.onTile(event, (row) => {
      if (event.shiftKey) this.selection.range(this.index, row, event.ctrlKey || event.metaKey);
      else if (event.ctrlKey || event.metaKey) this.selection.toggle(row);
      else this.selection.only(row);
    });
    if (!hit) this.selection.clear();
    this.refresh();
    this.host.selected();
  }
}

function set(element: HTMLElement, key: string, value: string): void {
  if (value) element.dataset[key] = value;
  else delete element.dataset[key];
}
