// What the loupe, compare and survey have in common: panes, the pictures in them, and what is fetched ahead.
//
// For each pane the best decoded level is shown: thumbnail, then fit, then 1:1. Ahead are the neighbours in the
// direction of travel; the 1:1 of the photo that is looked at is decoded once it has been looked at for a moment,
// or at once where the view is zoomed. Zoom and place go with the person to the next photo, and are shared by all
// panes.

import type { Reply, Request } from "./analysis.worker";
import type { Histogram } from "./analysis";
import { PhotoIndex, isVideo, turnsOf } from "./index";
import { Loupe, type Level, type LevelName, type Overlay } from "./loupe";
import { Pictures, type Wish } from "./pictures";
import { FIT, type Size, type View } from "./view";

/** What a picture's address gives, as far as the catalogue knows. */
export interface LevelFacts {
  orientation: number;
  width: number | null;
  height: number | null;
}

export interface Facts {
  size: Size | undefined;
  fit: LevelFacts | null;
  full: LevelFacts | null;
  rendered: LevelFacts | null;
  reason: string | null;
  name: string;
}

export interface ViewerHost {
  index(): PhotoIndex;
  /** What is known of a photo; asks for it where it is not, and `changed` is called later. */
  facts(row: number): Facts | undefined;
  thumbnail(row: number): string;
  fit(row: number): string;
  full(row: number): string;
  rendered(row: number): string;
  pressed(row: number): void;
  histogram(h: Histogram | undefined): void;
  /** Which level is seen in the active pane, and what is wrong with it. */
  status(status: Status): void;
}

export interface Status {
  level: "none" | LevelName;
  zoom: number;
  scale: number;
  problem: string | undefined;
}

const AHEAD = 8;
/** Photos that page up and page down go by. */
export const PAGE = 10;
const REST_MS = 350;
/** Long side of the picture that a histogram is made of. */
const SAMPLE = 640;

export class Viewer {
  readonly panes: Loupe[] = [];
  /** Whether the person wants the rendered 1:1 rather than the camera's. */
  rendered = false;
  private rows: number[] = [];
  private active = 0;
  private forward = true;
  private rested = false;
  private timer = 0;
  private view: View = { ...FIT };
  private readonly pictures = new Pictures(() => this.update());
  private worker: Worker | undefined;
  private wanted = { histogram: false, clipping: false, peaking: false };
  private analysed = "";
  private asked = 0;

  constructor(private readonly host: ViewerHost) {}

  /** Shows these rows, one a pane; the direction says where the person is going. */
  show(rows: number[], active: number, forward: boolean): void {
    const same = rows.length === this.rows.length && rows.every((row, i) => row === this.rows[i]);
    this.rows = rows;
    this.active = Math.max(0, active);
    this.forward = forward;
    while (this.panes.length < rows.length) this.panes.push(this.pane());
    this.panes.splice(rows.length).forEach((pane) => pane.element.remove());
    if (!same) {
      this.rested = this.view.zoom > 0;
      clearTimeout(this.timer);
      this.timer = window.setTimeout(() => {
        this.rested = true;
        this.update();
      }, REST_MS);
    }
    this.update();
  }

  /** Facts came, or marks changed. */
  update(): void {
    this.rows.forEach((row, i) => this.draw(this.panes[i], row));
    this.pictures.want(this.wishes());
    this.report();
    this.analyse();
  }

  /** What was refused before may be there now. */
  retry(): void {
    this.pictures.forgetProblems();
    this.update();
  }

  setWanted(wanted: { histogram: boolean; clipping: boolean; peaking: boolean }): void {
    this.wanted = wanted;
    this.analysed = "";
    if (!wanted.clipping && !wanted.peaking) for (const pane of this.panes) pane.setOverlays([]);
    this.analyse();
  }

  toggleZoom(): void {
    this.panes[this.active]?.toggleZoom();
  }

  zoomBy(factor: number): void {
    this.panes[this.active]?.zoomBy(factor);
  }

  get zoomed(): boolean {
    return this.view.zoom > 0;
  }

  resetView(): void {
    this.view = { ...FIT };
    for (const pane of this.panes) pane.setView(this.view);
  }

  private pane(): Loupe {
    const pane = new Loupe({
      viewed: (from, view) => {
        this.view = view;
        for (const other of this.panes) if (other !== from) other.setView(view);
        if (view.zoom > 0) this.rested = true;
        this.update();
      },
      pressed: (from) => this.host.pressed(this.rows[this.panes.indexOf(from)]),
    });
    pane.view = { ...this.view };
    return pane;
  }

  private draw(pane: Loupe, row: number): void {
    const index = this.host.index();
    const at = index.positionOf(row);
    const marks = at < 0 ? 0 : index.marks[at];
    const facts = this.host.facts(row);
    const turns = turnsOf(marks);
    const best = this.best(row, facts, pane);
    // The index's shape is as shown; the pane wants it before the person's own turns.
    const aspect = (at < 0 ? 0 : index.aspect[at]) / 1000 || 1.5;
    const shape = turns % 2 ? 1 / aspect : aspect;
    const size = facts?.size ?? { width: 4000 * Math.min(1, shape), height: 4000 / Math.max(1, shape) };
    const shown = pane.shown;
    const label = facts?.name ?? "Photo";
    if (shown?.row !== row || shown.turns !== turns || shown.size.width !== size.width || shown.label !== label) {
      pane.show({ row, size, turns, label }, best);
    } else if (best) {
      pane.improve(best);
    }
  }

  private best(row: number, facts: Facts | undefined, pane: Loupe): Level | undefined {
    const fullUrl = this.fullUrl(row, facts);
    const full = facts && fullUrl ? this.pictures.get(fullUrl.url) : undefined;
    const fit = facts?.fit ? this.pictures.get(this.host.fit(row)) : undefined;
    if (full && fullUrl && (!fit || pane.wantsMoreThan(fit))) {
      return { name: "full", bitmap: full, orientation: fullUrl.orientation };
    }
    if (fit && facts?.fit) return { name: "fit", bitmap: fit, orientation: facts.fit.orientation };
    const thumbnail = this.pictures.get(this.host.thumbnail(row));
    return thumbnail && { name: "thumbnail", bitmap: thumbnail, orientation: 1 };
  }

  private fullUrl(row: number, facts: Facts | undefined): { url: string; orientation: number } | undefined {
    if (facts?.rendered && (this.rendered || !facts.full)) {
      return { url: this.host.rendered(row), orientation: facts.rendered.orientation };
    }
    return facts?.full ? { url: this.host.full(row), orientation: facts.full.orientation } : undefined;
  }

  private wishes(): Wish[] {
    const wishes: Wish[] = [];
    const index = this.host.index();
    const still = (row: number): boolean => {
      const at = index.positionOf(row);
      return at < 0 || !isVideo(index.marks[at]);
    };
    const thumbnail = (row: number, ahead = false): void => void wishes.push({ url: this.host.thumbnail(row), ahead });
    const fit = (row: number, ahead = false, encodedOnly = false): void => {
      if (this.host.facts(row)?.fit && still(row)) wishes.push({ url: this.host.fit(row), ahead, encodedOnly });
    };
    const full = (row: number): void => {
      const to = this.fullUrl(row, this.host.facts(row));
      if (to && still(row)) wishes.push({ url: to.url });
    };
    const here = this.rows[this.active] ?? this.rows[0];
    if (here === undefined) return wishes;
    for (const row of this.rows) if (!this.pictures.get(this.host.fit(row))) thumbnail(row);
    if (this.zoomed) for (const row of this.rows) full(row);
    for (const row of this.rows) fit(row);
    const at = index.positionOf(here);
    const step = this.forward ? 1 : -1;
    const near = (n: number): number | undefined => (at < 0 ? undefined : index.rows[at + n * step]);
    const each = (ns: number[], wish: (row: number) => void): void => {
      for (const n of ns) {
        const row = near(n);
        if (row !== undefined && !this.rows.includes(row)) wish(row);
      }
    };
    each([1, 2, -1], (row) => thumbnail(row, true));
    each([1, 2, -1], (row) => fit(row, true));
    if (this.rested) full(here);
    if (this.zoomed) each([1], full);
    each([3, 4, -2], (row) => thumbnail(row, true));
    // Where a page up or down would lead, what is known of the photo is known before.
    each([PAGE, -PAGE, PAGE + 1], (row) => void this.host.facts(row));
    for (let n = 3; n <= AHEAD; n++) each([n, -(n - 1)], (row) => fit(row, true, true));
    return wishes;
  }

  private report(): void {
    const pane = this.panes[this.active];
    const row = this.rows[this.active];
    if (!pane || row === undefined) return;
    const facts = this.host.facts(row);
    const best = this.best(row, facts, pane);
    const fit = facts?.fit ? this.pictures.problem(this.host.fit(row)) : undefined;
    const problem = facts?.reason ?? fit ?? undefined;
    this.host.status({ level: best?.name ?? "none", zoom: pane.view.zoom, scale: pane.placed.scale, problem });
  }

  /** Asks the worker about the picture in the active pane, once a picture. */
  private analyse(): void {
    const pane = this.panes[this.active];
    const row = this.rows[this.active];
    const { histogram, clipping, peaking } = this.wanted;
    if (!pane || row === undefined || !(histogram || clipping || peaking)) return;
    const level = this.best(row, this.host.facts(row), pane);
    if (!level) return;
    const key = `${row} ${level.name} ${clipping} ${peaking} ${this.rendered}`;
    if (key === this.analysed) return;
    this.analysed = key;
    const id = ++this.asked;
    const { bitmap } = level;
    const longest = Math.max(bitmap.width, bitmap.height);
    const share = clipping || peaking ? 1 : Math.min(1, SAMPLE / longest);
    const resized = createImageBitmap(bitmap, {
      resizeWidth: Math.max(1, Math.round(bitmap.width * share)),
      resizeHeight: Math.max(1, Math.round(bitmap.height * share)),
    });
    void resized.then((copy) => {
      if (id !== this.asked) return copy.close();
      const request: Request = { id, bitmap: copy, clipping, peaking };
      this.helper().postMessage(request, [copy]);
    });
  }

  private helper(): Worker {
    if (!this.worker) {
      this.worker = new Worker(new URL("./analysis.worker.ts", import.meta.url), { type: "module" });
      this.worker.addEventListener("message", (event: MessageEvent<Reply>) => {
        const reply = event.data;
        if (reply.id !== this.asked) return;
        this.host.histogram(reply.histogram);
        const overlays: Overlay[] = [reply.clipping, reply.peaking].flatMap((image) => (image ? [{ image }] : []));
        this.panes[this.active]?.setOverlays(overlays);
      });
    }
    return this.worker;
  }
}
