// The filmstrip: one row of equal cells, of which only those in sight exist.
//
// It has no scroller of its own: the photo that is looked at is kept at a third from the side one comes from, so
// that more is seen of where one is going. A wheel moves the strip without changing the photo.

import { Flag, flagOf, labelOf, LABELS, PhotoIndex, ratingOf, turnsOf } from "./index";

export interface FilmstripHost {
  thumbnail(row: number): string;
  chosen(row: number): void;
  isShown(row: number): boolean;
}

const CELL = 92;
const SPARE = 4;

interface Cell {
  element: HTMLDivElement;
  picture: HTMLImageElement;
  row: number;
}

export class Filmstrip {
  readonly element = document.createElement("div");
  private readonly track = document.createElement("div");
  private readonly cells = new Map<number, Cell>();
  private readonly free: Cell[] = [];
  private index = PhotoIndex.empty;
  private offset = 0;
  private active = -1;
  private forward = true;

  constructor(private readonly host: FilmstripHost) {
    this.element.className = "filmstrip";
    this.track.className = "filmstrip-track";
    this.element.setAttribute("role", "group");
    this.element.setAttribute("aria-label", "Filmstrip");
    this.element.append(this.track);
    this.element.addEventListener("wheel", (e) => this.wheel(e), { passive: false });
    this.element.addEventListener("click", (e) => {
      const cell = e.target instanceof Element ? e.target.closest<HTMLElement>(".cell") : null;
      if (cell?.dataset.row) this.host.chosen(Number(cell.dataset.row));
    });
    new ResizeObserver(() => this.go(this.active, this.forward)).observe(this.element);
  }

  setIndex(index: PhotoIndex): void {
    this.index = index;
    for (const [position, cell] of this.cells) this.release(position, cell);
    this.draw();
  }

  /** Brings a position to a third from the side one comes from. */
  go(position: number, forward: boolean): void {
    this.active = position;
    this.forward = forward;
    const width = this.element.clientWidth;
    const at = forward ? width / 3 : (2 * width) / 3;
    this.offset = this.clamp(position * CELL + CELL / 2 - at);
    this.draw();
  }

  refresh(): void {
    for (const [position, cell] of this.cells) this.mark(position, cell);
  }

  private clamp(offset: number): number {
    return Math.round(Math.min(Math.max(0, offset), Math.max(0, this.index.length * CELL - this.element.clientWidth)));
  }

  private draw(): void {
    const width = this.element.clientWidth;
    if (width === 0) return;
    const first = Math.max(0, Math.floor(this.offset / CELL) - SPARE);
    const last = Math.min(this.index.length - 1, Math.ceil((this.offset + width) / CELL) + SPARE);
    for (const [position, cell] of this.cells) if (position < first || position > last) this.release(position, cell);
    for (let position = first; position <= last; position++) {
      const cell = this.cells.get(position) ?? this.take(position);
      cell.element.style.transform = `translateX(${position * CELL - this.offset}px)`;
      this.mark(position, cell);
    }
  }

  private take(position: number): Cell {
    const cell = this.free.pop() ?? this.make();
    cell.row = this.index.rows[position];
    cell.element.dataset.row = String(cell.row);
    cell.element.style.display = "";
    cell.picture.src = this.host.thumbnail(cell.row);
    this.cells.set(position, cell);
    return cell;
  }

  private make(): Cell {
    const element = document.createElement("div");
    const picture = document.createElement("img");
    // The large picture above comes first.
    picture.fetchPriority = "low";
    element.className = "cell";
    picture.alt = "";
    picture.decoding = "async";
    picture.draggable = false;
    picture.addEventListener("load", () => element.classList.add("loaded"));
    element.append(picture);
    this.track.append(element);
    return { element, picture, row: -1 };
  }

  private release(position: number, cell: Cell): void {
    this.cells.delete(position);
    cell.picture.removeAttribute("src");
    cell.element.classList.remove("loaded");
    cell.element.style.display = "none";
    this.free.push(cell);
  }

  private mark(position: number, { element, picture, row }: Cell): void {
    const marks = this.index.marks[position];
    const label = labelOf(marks);
    element.classList.toggle("active", position === this.active);
    element.classList.toggle("shown", this.host.isShown(row));
    element.classList.toggle("rejected", flagOf(marks) === Flag.Reject);
    const flag = flagOf(marks) === Flag.Pick ? "⚑" : flagOf(marks) === Flag.Reject ? "✕" : "";
    const info = [label ? LABELS[label][0].toUpperCase() : "", "★".repeat(ratingOf(marks))].filter(Boolean).join(" ");
    for (const [key, value] of [
      ["flag", flag],
      ["info", info],
      ["label", label ? LABELS[label] : ""],
    ]) {
      if (value) element.dataset[key] = value;
      else delete element.dataset[key];
    }
    const turns = turnsOf(marks);
    picture.style.transform = turns ? `rotate(${turns * 90}deg)` : "";
  }

  private wheel(event: WheelEvent): void {
    event.preventDefault();
    const delta = Math.abs(event.deltaX) > Math.abs(event.deltaY) ? event.deltaX : event.deltaY;
    this.offset = this.clamp(this.offset + delta * (event.deltaMode === 0 ? 1 : 30));
    this.draw();
  }
}
