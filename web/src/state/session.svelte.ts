// The page's state: what the address says, the result it leads to, the selection, and what a person does to them.
//
// Photos live in typed arrays outside Svelte; `tick` counts what happened to them, and whoever shows something of
// them reads it. Everything here can be done by key, by menu and by mouse alike, since all three call the same
// methods.

import {
  Flag,
  flagOf,
  isStack,
  LABELS,
  labelOf,
  PhotoIndex,
  ratingOf,
  turnsOf,
  withFlag,
  withLabel,
  withRating,
  withTurns,
} from "../engine/index";
import { Selection } from "../engine/selection";
import { isStep, read, write, type Place, type ViewName } from "./address";
import { Addresses, api, Trouble, type Album, type Change, type Details, type Facets, type IndexWish, type Kept, type LibraryFacts, type MarkAnswer } from "./api";
import { DetailsCache } from "./details";
import { Live } from "./live";
import { Outbox, type Letter } from "./outbox";
import { mayClose, valueOf } from "./query";
import { packRows } from "./rows";
import { settings } from "./settings.svelte";
import { ImportState } from "./imports.svelte";

/** What happened: another result, changes of the same one, marks or selection, thumbnails. */
export type Told = "result" | "index" | "marks" | "thumbnails";

export interface Notice {
  text: string;
  kind: "said" | "wrong";
}

const EMPTY_FACETS: Facets = { months: [], cameras: [], lenses: [], keywords: [], imports: [] };
const NOTICE_MS = 2600;
/** Changes closer together than this are fetched at once. */
const GATHER_MS = 60;
/** How long counts beside the facets may lag behind what changed. */
const COUNT_MS = 500;

export class Session {
  place = $state<Place>(read(location.search));
  library = $state<LibraryFacts>();
  index = $state.raw(PhotoIndex.empty);
  /** Grows with every change of marks, selection or details. */
  tick = $state(0);
  phase = $state<"starting" | "loading" | "ready" | "failed">("starting");
  trouble = $state<Trouble>();
  /** The query as it was last answered, with what was wrong with it. */
  queryProblem = $state<string>();
  facets = $state.raw<Facets>(EMPTY_FACETS);
  albums = $state.raw<Album[]>([]);
  notice = $state<Notice>();
  unsent = $state(0);
  offline = $state(false);
  readonly imports = new ImportState(this);
  readonly selection = new Selection();
  readonly details = new DetailsCache(() => this.tick++);
  addresses = new Addresses("0", 0);
  /** Which way the person last moved. */
  forward = true;
  /** Rows that compare and survey show. */
  compared = $state.raw<number[]>([]);
  private outbox: Outbox | undefined;
  private loading: AbortController | undefined;
  private gather: ReturnType<typeof setTimeout> | undefined;
  private counting: ReturnType<typeof setTimeout> | undefined;
  /** Something changed while changes were being fetched. */
  private changedSince = false;
  private changing = false;
  private noticeTimer: ReturnType<typeof setTimeout> | undefined;
  private readonly listeners = new Set<(what: Told, rows?: number[]) => void>();

  async start(): Promise<void> {
    addEventListener("popstate", () => void this.arrive());
    try {
      await this.meet();
      new Live((name, data) => this.heard(name, data));
      await this.arrive();
    } catch (error) {
      this.fail(error);
    }
  }

  /** For the grid, the filmstrip and the viewer, which are not reactive. */
  listen(listener: (what: Told, rows?: number[]) => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  // --- where we are ---

  go(change: Partial<Place>): void {
    const before = { ...this.place };
    const to = { ...before, ...change };
    this.place = to;
    const path = write(to);
    if (path === location.pathname + location.search) return;
    if (isStep(before, to)) history.pushState(null, "", path);
    else history.replaceState(null, "", path);
    if (before.query !== to.query || before.sort !== to.sort || before.descending !== to.descending) void this.load();
  }

  setView(view: ViewName): void {
    if (view === "loupe" && this.selection.active < 0) this.moveTo(0, false);
    if (view === "compare") this.beginCompare();
    if (view === "survey") this.compared = this.selection.count > 1 ? this.selection.rows().slice(0, 12) : [this.selection.active];
    this.go({ view, photo: view === "loupe" ? this.activeId() : "" });
  }

  private beginCompare(): void {
    const rows = this.selection.rows();
    if (this.selection.active < 0) this.moveTo(0, false);
    const at = this.index.positionOf(this.selection.active);
    const other = rows.find((row) => row !== this.selection.active) ?? this.index.rows[at + 1] ?? this.index.rows[at - 1];
    this.compared = other === undefined ? [this.selection.active] : [this.selection.active, other];
    if (other === undefined) return;
    this.selection.active = other;
    // The panel must tell of the photo that keys change now.
    this.tick++;
  }

  private activeId(): string {
    return this.details.peek(this.selection.active)?.photo.id ?? "";
  }

  /** Takes the state of the address, at the start and when going back. */
  private async arrive(): Promise<void> {
    const before = this.place;
    this.place = read(location.search);
    const first = this.phase === "starting";
    if (first || before.query !== this.place.query || before.sort !== this.place.sort || before.descending !== this.place.descending) {
      await this.load();
    }
    if (this.place.photo) {
      const details = await api.photo(this.place.photo).catch(() => undefined);
      if (details) {
        this.details.put(details);
        this.selection.active = details.row;
        this.tick++;
        this.tell("marks");
      }
    }
  }

  // --- the result ---

  private async meet(): Promise<void> {
    const library = await api.library();
    if (library.epoch !== this.library?.epoch) {
      this.addresses = new Addresses(library.epoch, Math.max(innerWidth, innerHeight) * devicePixelRatio);
      this.details.forget();
      this.outbox = new Outbox(`lightfast-marks-${library.epoch}`, this, localStorage);
      this.unsent = this.outbox.count;
      void this.outbox.flush();
    }
    this.library = library;
  }

  async load(): Promise<void> {
    this.loading?.abort();
    const controller = (this.loading = new AbortController());
    if (this.phase !== "starting") this.phase = "loading";
    try {
      const index = await api.index(await this.wish(), controller.signal);
      this.queryProblem = undefined;
      this.accept(index, false);
      this.phase = "ready";
      this.trouble = undefined;
      void this.refreshFacets();
      void this.refreshAlbums();
    } catch (error) {
      if (controller.signal.aborted) return;
      if (error instanceof Trouble && error.status === 400) {
        this.queryProblem = error.message;
        this.phase = "ready";
      } else {
        this.fail(error);
      }
    }
  }

  /** What the address asks for. */
  private async wish(): Promise<IndexWish> {
    const { query, sort, descending } = this.place;
    const wish: IndexWish = { query, sort, descending, closed: settings.value.closed && mayClose(query) };
    if (sort === "album") {
      if (this.albums.length === 0) await this.refreshAlbums();
      const album = this.album;
      if (album) wish.album = album.id;
      else wish.sort = "taken";
    }
    return wish;
  }

  /** The album that is looked at, where it is one. */
  get album(): Album | undefined {
    const name = valueOf(this.place.query, "album")?.toLowerCase();
    return name === undefined ? undefined : this.albums.find((a) => a.query === null && a.name.toLowerCase() === name);
  }

  async refreshAlbums(): Promise<void> {
    this.albums = await api.albums().catch(() => this.albums);
  }

  private accept(index: PhotoIndex, keepPlace: boolean): void {
    const before = this.index.positionOf(this.selection.active);
    this.index = index;
    for (const letter of this.outbox?.pending ?? []) this.apply(letter);
    this.selection.keepOnly(index);
    if (this.selection.active < 0 && before >= 0 && index.length > 0 && keepPlace) {
      // The photo that was looked at does not match any more: the one that took its place is next.
      this.selection.active = index.rows[Math.min(before, index.length - 1)];
    }
    this.tick++;
    this.tell(keepPlace ? "index" : "result");
  }

  async refreshFacets(): Promise<void> {
    const query = this.place.query;
    void this.meet().catch(() => undefined);
    const facets = await api.facets(query).catch(() => undefined);
    if (facets && query === this.place.query) this.facets = facets;
  }

  /** Something in the catalogue changed: asks what, soon and once. */
  private catchUp(): void {
    // Never put off by what comes meanwhile: an import changes something more often than this waits.
    this.gather ??= setTimeout(() => {
      this.gather = undefined;
      void this.fetchChanges();
    }, GATHER_MS);
  }

  private async fetchChanges(): Promise<void> {
    if (this.phase !== "ready") return;
    if (this.changing) {
      this.changedSince = true;
      return;
    }
    this.changing = true;
    try {
      const before = this.index;
      const wish = await this.wish();
      if (wish.sort === "taken") {
        const changes = await api.index({ ...wish, since: before.revision });
        if (this.index !== before) return this.catchUp();
        this.details.refresh([...changes.rows, ...changes.gone]);
        if (before.patch(changes)) {
          for (const letter of this.outbox?.pending ?? []) this.apply(letter);
          this.tick++;
          this.tell("marks");
        } else {
          this.accept(before.merged(changes, wish.descending), true);
        }
        if (changes.length + changes.gone.length > 0) this.countAgain();
      } else {
        this.accept(await api.index(wish), true);
      }
    } catch (error) {
      if (error instanceof Trouble && error.status === 410) await this.load();
    } finally {
      this.changing = false;
      if (this.changedSince) {
        this.changedSince = false;
        this.catchUp();
      }
    }
  }

  /** Facets and albums are counted anew, soon and once: pictures go before numbers. */
  private countAgain(): void {
    this.counting ??= setTimeout(() => {
      this.counting = undefined;
      void this.refreshFacets();
      void this.refreshAlbums();
    }, COUNT_MS);
  }

  private heard(name: string, data: unknown): void {
    if (name === "silence") {
      this.offline = true;
      return;
    }
    if (name === "hello" || name === "resync") {
      const wasOffline = this.offline;
      this.offline = false;
      if (wasOffline || name === "resync") void this.meet().then(() => (this.phase === "failed" ? this.load() : this.catchUp()));
      void this.outbox?.flush();
      void this.imports.meet().catch(() => undefined);
      if (wasOffline) this.tell("thumbnails");
    }
    if (name === "changed") this.catchUp();
    if (name === "thumbnails") this.tell("thumbnails", (data as { rows?: number[] }).rows);
    if (name === "import") this.imports.heard(data);
    if (name === "sidecars") this.sidecars(data as Partial<Kept> & { what?: string });
  }

  /** Sidecars that could not be brought up to date with the marks. */
  private sidecars({ conflicts = [], failed = [], what }: Partial<Kept> & { what?: string }): void {
    if (what) this.say(`Sidecars are not up to date: ${what}`, "wrong");
    else if (failed.length > 0) this.say(`${failed[0].path} is not up to date: ${failed[0].reason}`, "wrong");
    else if (conflicts.length > 0) this.say(`${count(conflicts.length, "photo")} changed in another program too: see Conflicts`, "wrong");
  }

  private fail(error: unknown): void {
    this.trouble = error instanceof Trouble ? error : new Trouble(String(error), 500);
    this.phase = "failed";
  }

  private tell(what: Told, rows?: number[]): void {
    for (const listener of this.listeners) listener(what, rows);
  }

  // --- moving ---

  /** The position of the active photo, or -1. */
  get position(): number {
    void this.tick;
    return this.index.positionOf(this.selection.active);
  }

  moveTo(position: number, extend: boolean): void {
    const row = this.index.rows[position];
    if (row === undefined) return;
    this.forward = position >= this.index.positionOf(this.selection.active);
    if (extend) this.selection.range(this.index, row, false);
    else this.selection.only(row);
    this.selected();
  }

  /** The selection or the active photo changed. */
  selected(): void {
    this.tick++;
    this.tell("marks");
    if (this.place.view === "loupe") {
      const id = this.activeId();
      if (id) this.go({ photo: id });
    }
  }

  // --- marks ---

  /** In the grid a key changes all that are selected, elsewhere the photo with the frame. */
  get targets(): number[] {
    void this.tick;
    return this.selection.targets(this.place.view === "grid");
  }

  get targetCount(): number {
    void this.tick;
    if (this.place.view === "grid" && this.selection.count > 0) return this.selection.count;
    return this.selection.active >= 0 ? 1 : 0;
  }

  mark(change: Change, said: string): void {
    const rows = this.targets;
    if (rows.length === 0) return this.say("Select a photo first");
    this.markRows(rows, change, said);
  }

  markRows(rows: number[], change: Change, said: string): void {
    const letter: Letter = { rows: packRows(rows), change };
    this.applyRows(rows, change);
    this.tick++;
    this.tell("marks");
    this.say(rows.length === 1 ? said : `${said}: ${rows.length.toLocaleString()} photos`);
    this.unsent++;
    this.outbox?.post(letter);
  }

  /** One star more or less: each photo from where it is. */
  rateBy(delta: number): void {
    const byRating = new Map<number, number[]>();
    for (const row of this.targets) {
      const at = this.index.positionOf(row);
      if (at < 0) continue;
      const rating = Math.min(5, Math.max(0, ratingOf(this.index.marks[at]) + delta));
      byRating.set(rating, [...(byRating.get(rating) ?? []), row]);
    }
    for (const [rating, rows] of byRating) this.markRows(rows, { rating }, stars(rating));
  }

  private apply(letter: Letter): void {
    const rows = letter.rows.split(",").flatMap((part) => {
      const [from, to = from] = part.split("-").map(Number);
      return Array.from({ length: to - from + 1 }, (_, i) => from + i);
    });
    this.applyRows(rows, letter.change);
  }

  private applyRows(rows: number[], change: Change): void {
    const { marks, aspect } = this.index;
    for (const row of rows) {
      const at = this.index.positionOf(row);
      if (at < 0) continue;
      let m = marks[at];
      if (change.rating !== undefined) m = withRating(m, change.rating);
      if (change.flag !== undefined) {
        m = withFlag(m, change.flag === "pick" ? Flag.Pick : change.flag === "reject" ? Flag.Reject : Flag.None);
      }
      if (change.label !== undefined) m = withLabel(m, Math.max(0, LABELS.indexOf(change.label as never)));
      if (change.rotate) {
        m = withTurns(m, turnsOf(m) + change.rotate / 90);
        if ((change.rotate / 90) % 2 && aspect[at]) aspect[at] = Math.round(1_000_000 / aspect[at]);
      }
      marks[at] = m;
    }
    if (change.rotate) this.tell("index");
  }

  /** A change that the server alone can show: sent at once, then what it changed is fetched. */
  async ask(what: Promise<MarkAnswer>, said: (changed: number) => string): Promise<void> {
    try {
      const { changed } = await what;
      this.say(changed > 0 ? said(changed) : "Nothing to change");
      await this.fetchChanges();
    } catch (error) {
      this.complain(error);
    }
  }

  stack(what: "stack" | "unstack" | "top"): void {
    const rows = what === "top" ? [this.selection.active] : this.targets;
    if (rows.length === 0 || rows[0] < 0) return this.say("Select photos first");
    if (what === "stack" && rows.length < 2) return this.say("Select two photos or more to stack them");
    const said = { stack: "Stacked", unstack: "Taken apart", top: "On top" }[what];
    void this.ask(api.stack(packRows(rows), what), (n) => (what === "top" ? said : `${said}: ${count(n, "photo")}`));
  }

  /** Shows what is in the stack of the active photo. */
  async openStack(): Promise<void> {
    const row = this.selection.active;
    const details = this.details.peek(row) ?? (await api.photos(String(row)).catch(() => []))[0];
    if (details) this.go({ query: `stack:${details.photo.id}`, view: "grid" });
  }

  /** Keeps the photo that is looked at, rejects the rest of its stack, goes on to what follows the stack. */
  async keepOne(): Promise<void> {
    const row = this.selection.active;
    const at = this.index.positionOf(row);
    if (at < 0) return;
    const details = this.details.peek(row) ?? (await api.photos(String(row)).catch(() => []))[0];
    if (!details) return;
    const stack = isStack(this.index.marks[at])
      ? await api.index({ query: `stack:${details.photo.id}`, sort: "taken", descending: false }).catch(() => undefined)
      : undefined;
    const rest = [...(stack?.rows ?? [])].filter((other) => other !== row);
    if (rest.length > 0) this.markRows(rest, { flag: "reject" }, "Rejected");
    this.markRows([row], { flag: "pick" }, rest.length > 0 ? `Picked; ${count(rest.length, "other")} of its stack rejected` : "Picked");
    let next = at + 1;
    while (next < this.index.length && rest.includes(this.index.rows[next])) next++;
    this.moveTo(Math.min(next, this.index.length - 1), false);
  }

  /** Puts what is selected in an album, or takes it out. */
  putInAlbum(album: Album, put: boolean): void {
    const rows = this.targets;
    if (rows.length === 0) return this.say("Select photos first");
    const where = put ? `Put in ${album.name}` : `Taken out of ${album.name}`;
    void this.ask(api.albumPhotos(album.id, packRows(rows), put), (n) => `${where}: ${count(n, "photo")}`).then(() => this.refreshAlbums());
  }

  /** Moves what is selected one place on in the album that is looked at. */
  async moveInAlbum(later: boolean): Promise<void> {
    const album = this.place.sort === "album" ? this.album : undefined;
    const places = this.targets.map((row) => this.index.positionOf(row)).filter((at) => at >= 0).sort((a, b) => a - b);
    if (!album || places.length === 0) return this.say("Only in an album, in its own order");
    if (this.place.descending) return this.say("Show the album first to last to arrange it");
    if (!later && places[0] === 0) return;
    const before = later ? this.index.rows[places[places.length - 1] + 2] : this.index.rows[places[0] - 1];
    try {
      await api.arrangeAlbum(album.id, places.map((at) => this.index.rows[at]).join(","), before ?? null);
      await this.fetchChanges();
    } catch (error) {
      this.complain(error);
    }
  }

  async undo(): Promise<void> {
    await this.timeTravel(api.undo, "Undone", "There is nothing to undo");
  }

  async redo(): Promise<void> {
    await this.timeTravel(api.redo, "Done again", "There is nothing to do again");
  }

  private async timeTravel(ask: typeof api.undo, done: string, nothing: string): Promise<void> {
    await this.outbox?.flush();
    try {
      const { changed, step } = await ask();
      this.say(step === null ? nothing : `${done}: ${count(changed, "photo")}`);
      await this.fetchChanges();
    } catch (error) {
      this.complain(error);
    }
  }

  // --- the outbox's news ---

  sent(letter: Letter): void {
    if (this.offline) this.offline = false;
    this.details.refresh(this.selection.active >= 0 ? [this.selection.active] : []);
    void letter;
  }

  refused(_letter: Letter, trouble: Trouble): void {
    this.complain(trouble);
    void this.load();
  }

  waiting(unsent: number, offline: boolean): void {
    this.unsent = unsent;
    if (offline) this.offline = true;
  }

  // --- words ---

  say(text: string, kind: Notice["kind"] = "said"): void {
    this.notice = { text, kind };
    clearTimeout(this.noticeTimer);
    this.noticeTimer = setTimeout(() => (this.notice = undefined), kind === "wrong" ? 3 * NOTICE_MS : NOTICE_MS);
  }

  complain(error: unknown): void {
    const trouble = error instanceof Trouble ? error : new Trouble(String(error), 500);
    this.say([trouble.message, trouble.hint].filter(Boolean).join(" – "), "wrong");
  }

  /** What is known of the active photo. */
  get active(): Details | undefined {
    void this.tick;
    return this.details.get(this.selection.active);
  }

  /** The marks of the active photo as they are on the screen. */
  get activeMarks(): { rating: number; flag: Flag; label: number } {
    const at = this.position;
    const marks = at < 0 ? 0 : this.index.marks[at];
    return { rating: ratingOf(marks), flag: flagOf(marks), label: labelOf(marks) };
  }

  get thumbnailSize(): number {
    return settings.value.size;
  }
}

export const stars = (rating: number): string => (rating === 0 ? "No stars" : count(rating, "star"));

export function count(n: number, noun: string): string {
  return `${n.toLocaleString()} ${noun}${n === 1 ? "" : "s"}`;
}

export const session = new Session();
