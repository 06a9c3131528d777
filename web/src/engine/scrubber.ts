// The bar beside the grid: the whole library as one line, with its years and months.
//
// It drives the logical offset directly, so that the last photo of a million is one drag away. A tick stands
// where its first photo is laid out, not where the calendar would put it.

import type { PhotoIndex } from "./index";
import type { Layout } from "./layout";

const SPACING = 22;
const MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

/** Text for a day number, as short or as long as asked. */
export function dayText(day: number, style: "month" | "day"): string {
  if (!Number.isFinite(day)) return "No date";
  const date = new Date(day * 86_400_000);
  return date.toLocaleDateString(undefined, {
    timeZone: "UTC",
    year: "numeric",
    month: "long",
    ...(style === "day" ? { day: "numeric", weekday: "long" } : {}),
  });
}

export interface Tick {
  offset: number;
  label: string;
  year: boolean;
}

/** Where years and months begin; a month is found by halving, so a million photos cost a few hundred looks. */
export function ticks(index: PhotoIndex, layout: Layout): Tick[] {
  const found: Tick[] = [];
  let position = 0;
  let lastYear = NaN;
  while (position < index.length) {
    const month = monthAt(index, position);
    if (month === -1) break;
    const year = Math.floor(month / 12);
    const offset = layout.boxOf(position).y;
    const isYear = year !== lastYear;
    found.push({ offset, label: isYear ? String(year) : MONTHS[month % 12], year: isYear });
    lastYear = year;
    let [low, high, step] = [position, index.length, 1];
    while (low + step < index.length && monthAt(index, low + step) === month) {
      low += step;
      step *= 2;
    }
    high = Math.min(index.length, low + step);
    while (low + 1 < high) {
      const middle = (low + high) >> 1;
      if (monthAt(index, middle) === month) low = middle;
      else high = middle;
    }
    position = low + 1;
  }
  return found;
}

function monthAt(index: PhotoIndex, position: number): number {
  const taken = index.taken[position];
  if (Number.isNaN(taken)) return -1;
  const date = new Date(taken * 1000);
  return date.getUTCFullYear() * 12 + date.getUTCMonth();
}

export interface ScrubberHost {
  /** The offset of the top of the window, and the largest there is. */
  offset(): number;
  end(): number;
  page(): number;
  scrollTo(offset: number): void;
  /** What is at an offset, for the bubble. */
  describe(offset: number): string;
}

export class Scrubber {
  readonly element = document.createElement("div");
  private readonly thumb = document.createElement("div");
  private readonly bubble = document.createElement("div");
  private readonly marks = document.createElement("div");
  private list: Tick[] = [];
  private total = 0;

  constructor(private readonly host: ScrubberHost) {
    this.element.className = "scrubber";
    this.thumb.className = "scrubber-thumb";
    this.bubble.className = "scrubber-bubble";
    this.bubble.hidden = true;
    this.element.tabIndex = 0;
    this.element.setAttribute("role", "slider");
    this.element.setAttribute("aria-orientation", "vertical");
    this.element.setAttribute("aria-label", "Place in the library");
    this.element.append(this.marks, this.thumb, this.bubble);
    this.element.addEventListener("pointerdown", (e) => this.grab(e));
    this.element.addEventListener("pointermove", (e) => this.hover(e));
    this.element.addEventListener("pointerleave", () => (this.bubble.hidden = true));
    this.element.addEventListener("keydown", (e) => this.key(e));
  }

  /** New ticks, or a new height of everything. */
  setTicks(list: Tick[], total: number): void {
    this.list = list;
    this.total = total;
    this.draw();
  }

  draw(): void {
    const height = this.element.clientHeight;
    const fragment = document.createDocumentFragment();
    let lastYear = -Infinity;
    let lastDot = -Infinity;
    for (const tick of this.list) {
      const y = (tick.offset / Math.max(1, this.total)) * height;
      const labelled = tick.year && y - lastYear >= SPACING && y < height - 10;
      if (!labelled && y - lastDot < 6) continue;
      const mark = document.createElement("div");
      mark.className = labelled ? "scrubber-year" : "scrubber-dot";
      if (labelled) {
        mark.textContent = tick.label;
        lastYear = y;
      }
      lastDot = y;
      mark.style.top = `${y}px`;
      fragment.append(mark);
    }
    this.marks.replaceChildren(fragment);
    this.moved();
  }

  /** The grid has scrolled. */
  moved(): void {
    const height = this.element.clientHeight;
    const end = Math.max(1, this.host.end());
    const share = Math.min(1, Math.max(0, this.host.offset() / end));
    const size = Math.max(28, Math.min(height, (height * this.host.page()) / Math.max(1, this.total)));
    this.thumb.style.height = `${size}px`;
    this.thumb.style.transform = `translateY(${share * (height - size)}px)`;
    this.element.setAttribute("aria-valuemin", "0");
    this.element.setAttribute("aria-valuemax", "1000");
    this.element.setAttribute("aria-valuenow", String(Math.round(share * 1000)));
    this.element.setAttribute("aria-valuetext", this.host.describe(this.host.offset()));
  }

  private offsetAt(event: PointerEvent): number {
    const box = this.element.getBoundingClientRect();
    const share = Math.min(1, Math.max(0, (event.clientY - box.top) / Math.max(1, box.height)));
    return share * this.host.end();
  }

  private hover(event: PointerEvent): void {
    const offset = this.offsetAt(event);
    const box = this.element.getBoundingClientRect();
    this.bubble.hidden = false;
    this.bubble.textContent = this.host.describe(offset);
    this.bubble.style.top = `${Math.min(box.height - 14, Math.max(14, event.clientY - box.top))}px`;
    if (event.buttons === 1 && this.element.hasPointerCapture(event.pointerId)) this.host.scrollTo(offset);
  }

  private grab(event: PointerEvent): void {
    if (event.button !== 0) return;
    this.element.setPointerCapture(event.pointerId);
    this.host.scrollTo(this.offsetAt(event));
    this.hover(event);
  }

  private key(event: KeyboardEvent): void {
    const page = this.host.page();
    const to: Record<string, number> = {
      ArrowUp: this.host.offset() - page / 4,
      ArrowDown: this.host.offset() + page / 4,
      PageUp: this.host.offset() - page,
      PageDown: this.host.offset() + page,
      Home: 0,
      End: this.host.end(),
    };
    if (!(event.key in to)) return;
    event.preventDefault();
    event.stopPropagation();
    this.host.scrollTo(to[event.key]);
  }
}
