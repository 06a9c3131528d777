// One pane that shows one photo: fit or zoomed, panned, with overlays, drawn on one canvas.
//
// The best picture that is decoded is drawn at once, scaled to where the final one will be; a better one
// replaces it in one frame, without a flash and without moving. The pane knows nothing of keys, panels or the
// server; several of them sharing a view are compare and survey.

import { FIT, fitScale, panned, place, settled, upright, zoomAt, type Placed, type Size, type View } from "./view";

export type LevelName = "thumbnail" | "fit" | "full";

/** One level of a photo, as decoded. */
export interface Level {
  name: LevelName;
  bitmap: ImageBitmap;
  /** EXIF's orientation of the stored pixels. */
  orientation: number;
}

export interface Shown {
  row: number;
  /** Upright pixels of the whole photo, before the person's own turns. */
  size: Size;
  turns: number;
  label: string;
}

export interface LoupeHost {
  viewed(pane: Loupe, view: View): void;
  /** The pane was pressed: it becomes the one that keys go to. */
  pressed(pane: Loupe): void;
}

/** A layer drawn over the picture, in the picture's own coordinates. */
export interface Overlay {
  image: CanvasImageSource;
}

export class Loupe {
  readonly element = document.createElement("div");
  readonly canvas = document.createElement("canvas");
  view: View = { ...FIT };
  shown: Shown | undefined;
  private level: Level | undefined;
  private overlays: Overlay[] = [];
  private drawing = false;
  private drag: { x: number; y: number; moved: boolean } | undefined;
  private pointer = { x: 0, y: 0 };

  constructor(private readonly host: LoupeHost) {
    this.element.className = "pane";
    this.canvas.setAttribute("role", "img");
    this.element.append(this.canvas);
    const canvas = this.canvas;
    canvas.addEventListener("pointerdown", (e) => this.down(e));
    canvas.addEventListener("pointermove", (e) => this.move(e));
    canvas.addEventListener("pointerup", (e) => this.up(e));
    canvas.addEventListener("pointercancel", () => (this.drag = undefined));
    canvas.addEventListener("wheel", (e) => this.wheel(e), { passive: false });
    new ResizeObserver(() => this.resized()).observe(this.element);
  }

  /** Device pixels of the pane. */
  get pane(): Size {
    return { width: this.canvas.width, height: this.canvas.height };
  }

  get size(): Size {
    const { size, turns } = this.shown ?? { size: { width: 3, height: 2 }, turns: 0 };
    return turns % 2 ? { width: size.height, height: size.width } : size;
  }

  /** Whether more pixels are shown than this level has. */
  wantsMoreThan(level: Size): boolean {
    const longest = Math.max(level.width, level.height);
    return Math.max(this.size.width, this.size.height) * this.placed.scale > longest * 1.02;
  }

  get placed(): Placed {
    return place(this.view, this.size, this.pane);
  }

  /** Shows a photo; without a level its place stays empty until one comes. */
  show(shown: Shown, level: Level | undefined): void {
    this.shown = shown;
    this.level = level;
    this.overlays = [];
    this.canvas.setAttribute("aria-label", shown.label);
    this.draw();
  }

  /** A better picture of the same photo, or none. */
  improve(level: Level): void {
    if (this.level?.bitmap === level.bitmap) return;
    this.level = level;
    this.schedule();
  }

  get current(): Level | undefined {
    return this.level;
  }

  setOverlays(overlays: Overlay[]): void {
    this.overlays = overlays;
    this.schedule();
  }

  setView(view: View): void {
    this.view = { ...view };
    this.schedule();
  }

  /** Between fit and 1:1, at the pointer or at a point of the picture. */
  toggleZoom(at?: { x: number; y: number }): void {
    this.change(this.view.zoom === 0 ? this.oneToOne(at) : { ...FIT });
  }

  zoomBy(factor: number): void {
    const scale = this.placed.scale * factor;
    this.change(zoomAt(this.view, scale, this.size, this.pane, this.pane.width / 2, this.pane.height / 2));
  }

  private oneToOne(at?: { x: number; y: number }): View {
    if (at) return settled({ zoom: 1, ...at }, this.size, this.pane);
    const { x, y } = this.pointer.x || this.pointer.y ? this.pointer : { x: this.pane.width / 2, y: this.pane.height / 2 };
    const to = fitScale(this.size, this.pane) >= 1 ? 2 * fitScale(this.size, this.pane) : 1;
    return zoomAt(this.view, to, this.size, this.pane, x, y);
  }

  private change(view: View): void {
    this.view = view;
    this.draw();
    this.host.viewed(this, view);
  }

  private resized(): void {
    const ratio = window.devicePixelRatio || 1;
    const width = Math.max(1, Math.round(this.element.clientWidth * ratio));
    const height = Math.max(1, Math.round(this.element.clientHeight * ratio));
    if (width === this.canvas.width && height === this.canvas.height) return;
    this.canvas.width = width;
    this.canvas.height = height;
    this.draw();
  }

  private schedule(): void {
    if (this.drawing) return;
    this.drawing = true;
    requestAnimationFrame(() => {
      this.drawing = false;
      this.draw();
    });
  }

  private draw(): void {
    const context = this.canvas.getContext("2d", { alpha: true });
    if (!context) return;
    context.setTransform(1, 0, 0, 1, 0, 0);
    context.clearRect(0, 0, this.canvas.width, this.canvas.height);
    if (!this.level || !this.shown) return this.tell();
    const { bitmap, orientation } = this.level;
    const { matrix, size } = upright(orientation, this.shown.turns, bitmap.width, bitmap.height);
    const { left, top, scale } = this.placed;
    const whole = this.size;
    context.setTransform((whole.width * scale) / size.width, 0, 0, (whole.height * scale) / size.height, left, top);
    context.transform(matrix.a ?? 1, matrix.b ?? 0, matrix.c ?? 0, matrix.d ?? 1, matrix.e ?? 0, matrix.f ?? 0);
    const enlarged = (whole.width * scale) / size.width;
    context.imageSmoothingEnabled = Math.abs(enlarged - 1) > 0.001 && !(enlarged >= 2 && this.view.zoom >= 2);
    context.imageSmoothingQuality = enlarged < 0.5 ? "high" : "medium";
    context.drawImage(bitmap, 0, 0);
    this.tell();
    for (const { image } of this.overlays) context.drawImage(image, 0, 0, bitmap.width, bitmap.height);
  }

  /** Says in the page what is on the canvas: for styles, for helpers, for the browser run. */
  private tell(): void {
    const { dataset } = this.element;
    const said = [String(this.shown?.row ?? ""), this.shown && this.level ? this.level.name : "none", String(this.view.zoom)];
    if (dataset.row !== said[0]) dataset.row = said[0];
    if (dataset.level !== said[1]) dataset.level = said[1];
    if (dataset.zoom !== said[2]) dataset.zoom = said[2];
    // Whether what is decoded has all the pixels that are shown.
    const sharp = String(this.level !== undefined && !this.wantsMoreThan(this.level.bitmap));
    if (dataset.sharp !== sharp) dataset.sharp = sharp;
  }

  private at(event: MouseEvent): { x: number; y: number } {
    const box = this.canvas.getBoundingClientRect();
    const ratio = this.canvas.width / Math.max(1, box.width);
    return { x: (event.clientX - box.left) * ratio, y: (event.clientY - box.top) * ratio };
  }

  private down(event: PointerEvent): void {
    this.host.pressed(this);
    if (event.button !== 0) return;
    this.canvas.setPointerCapture(event.pointerId);
    this.drag = { ...this.at(event), moved: false };
  }

  private move(event: PointerEvent): void {
    const at = this.at(event);
    this.pointer = at;
    if (!this.drag || !(event.buttons & 1)) return;
    const [dx, dy] = [at.x - this.drag.x, at.y - this.drag.y];
    if (!this.drag.moved && Math.hypot(dx, dy) < 4) return;
    this.drag = { ...at, moved: true };
    this.view = panned(this.view, dx, dy, this.size, this.pane);
    this.schedule();
    this.host.viewed(this, this.view);
  }

  private up(event: PointerEvent): void {
    const drag = this.drag;
    this.drag = undefined;
    if (drag && !drag.moved && event.button === 0) {
      this.pointer = this.at(event);
      this.toggleZoom();
    }
  }

  private wheel(event: WheelEvent): void {
    event.preventDefault();
    const at = this.at(event);
    const factor = Math.exp(-event.deltaY * (event.deltaMode === 0 ? 0.0015 : 0.05));
    this.change(zoomAt(this.view, this.placed.scale * factor, this.size, this.pane, at.x, at.y));
  }
}
