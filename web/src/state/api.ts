// The server, as the page speaks to it. Every address is relative: there is nowhere else to ask.

import { PhotoIndex } from "../engine/index";

export interface Copy {
  root: string;
  path: string;
  verified: "cold" | "twice" | "reread" | "stream" | null;
  verified_at: string | null;
}

export interface PhotoFile {
  role: string;
  bytes: number;
  hash: string;
  copies: Copy[];
}

export interface Photo {
  id: string;
  kind: "photo" | "video";
  taken: string | null;
  utc_offset: string | null;
  taken_from: string | null;
  camera: string | null;
  make: string | null;
  serial: string | null;
  lens: string | null;
  iso: number | null;
  iso_auto: boolean | null;
  exposure: string | null;
  aperture: number | null;
  focal_length: number | null;
  width: number | null;
  height: number | null;
  duration: number | null;
  rating: number;
  flag: "pick" | "reject" | null;
  label: string | null;
  title: string | null;
  caption: string | null;
  creator: string | null;
  copyright: string | null;
  keywords: string[];
  gps: [number, number] | null;
  job: string | null;
  imported: string | null;
  files: PhotoFile[];
}

/** One level of preview: which way its stored pixels must be turned, and how many there are where known. */
export interface LevelFacts {
  orientation: number;
  width: number | null;
  height: number | null;
}

export interface Details {
  row: number;
  photo: Photo;
  /** Quarter turns clockwise that a person added. */
  turned: number;
  fit: LevelFacts | null;
  full: LevelFacts | null;
  rendered: LevelFacts | null;
  /** Why there is no preview, where there is none. */
  reason: string | null;
}

export interface Root {
  id: string;
  path: string;
  online: boolean;
}

export interface LibraryFacts {
  name: string;
  path: string;
  /** Changes when row numbers do. */
  epoch: string;
  photos: number;
  revision: number;
  roots: Root[];
  version: string;
}

export interface Counted {
  value: string;
  count: number;
}

export interface ImportFacts {
  id: number;
  card: string;
  job: string | null;
  started: string;
  ended: string | null;
  copied: number | null;
  safe: boolean | null;
}

export interface Facets {
  months: Counted[];
  cameras: Counted[];
  lenses: Counted[];
  keywords: Counted[];
  imports: ImportFacts[];
}

export interface Change {
  rating?: number;
  flag?: "pick" | "reject" | "none";
  label?: string;
  rotate?: number;
  add_keywords?: string[];
  remove_keywords?: string[];
  title?: string;
  caption?: string;
  creator?: string;
  copyright?: string;
}

export interface MarkAnswer {
  matched: number;
  changed: number;
  step: number | null;
  revision: number;
}

export interface Card {
  path: string;
  label: string | null;
  files: number;
  bytes: number;
}

/** What an import did; its sums add up. */
export interface Report {
  files_seen: number;
  copied: number;
  duplicates: number;
  trashed: number;
  added: number;
  ignored: number;
  failed: number;
  bytes_copied: number;
  seconds: number;
  safe_to_format: boolean | null;
  not_safe: { source: string; reason: string }[];
  destinations: { path: string; copied: number; failed: number; safe: boolean; verified: Record<string, number> }[];
}

export interface ProgressFacts {
  stage: string;
  files: number;
  files_total: number;
  bytes: number;
  bytes_total: number;
  bytes_per_second: number;
  eta_seconds: number | null;
}

/** What the trash did. */
export interface TrashAnswer {
  photos: number;
  files: number;
  bytes: number;
  stayed: { path: string; reason: string }[];
}

/** What became of sidecars. */
export interface Kept {
  written: number;
  taken: number;
  conflicts: { photo: string | null; path: string; properties: string[] }[];
  failed: { path: string; reason: string | null }[];
}

/** What runs, or how the last import ended. */
export interface ImportNow {
  running: boolean;
  source: string;
  progress: ProgressFacts | null;
  report: Report | null;
  failure: string | null;
}

export type SortKey = "taken" | "imported" | "rating" | "name" | "album";

/** Chosen by hand and ordered, or a search with a name. */
export interface Album {
  id: number;
  name: string;
  query: string | null;
  photos: number;
}

/** A refusal of the server, or silence. */
export class Trouble extends Error {
  constructor(
    message: string,
    /** 0 where the server did not answer at all. */
    readonly status: number,
    readonly hint?: string,
  ) {
    super(message);
  }
}

async function ask(path: string, init?: RequestInit): Promise<Response> {
  let response: Response;
  try {
    response = await fetch(path, init);
  } catch (error) {
    if (error instanceof DOMException && error.name === "AbortError") throw error;
    throw new Trouble("lightfast does not answer", 0, "Start it again with `lightfast serve`, and open the address it prints.");
  }
  if (response.ok) return response;
  const body = (await response.json().catch(() => ({}))) as { error?: { what?: string; hint?: string } };
  throw new Trouble(body.error?.what ?? `the server answered ${response.status}`, response.status, body.error?.hint);
}

const get = async <T>(path: string, signal?: AbortSignal): Promise<T> =>
  (await (await ask(path, { signal })).json()) as T;

export const post = async <T>(path: string, body: unknown, method = "POST"): Promise<T> => {
  const init = { method, headers: { "content-type": "application/json" }, body: JSON.stringify(body) };
  return (await (await ask(path, init)).json()) as T;
};

export interface IndexWish {
  query: string;
  sort: SortKey;
  descending: boolean;
  /** Of each stack only the photo on top. */
  closed?: boolean;
  /** Whose order is wanted. */
  album?: number;
  /** Only what changed after this revision. */
  since?: number;
}

export const api = {
  library: (): Promise<LibraryFacts> => get("/api/library"),
  facets: (query: string): Promise<Facets> => get(`/api/facets?${new URLSearchParams({ q: query })}`),
  photos: (rows: string): Promise<Details[]> => get(`/api/photos?${new URLSearchParams({ rows })}`),
  photo: (id: string): Promise<Details> => get(`/api/photo/${encodeURIComponent(id)}`),
  mark: (rows: string, change: Change): Promise<MarkAnswer> => post("/api/marks", { rows, ...change }),
  undo: (): Promise<MarkAnswer> => post("/api/undo", {}),
  redo: (): Promise<MarkAnswer> => post("/api/redo", {}),
  folders: (under: string): Promise<string[]> => get(`/api/folders?${new URLSearchParams({ under })}`),
  stack: (rows: string, what: "stack" | "unstack" | "top"): Promise<MarkAnswer> => post("/api/stacks", { rows, do: what }),
  stackBursts: (q: string, seconds: number): Promise<MarkAnswer> => post("/api/stacks/bursts", { q, seconds }),
  trash: (rows: string, what: "put" | "restore"): Promise<TrashAnswer> => post("/api/trash", { rows, do: what }),
  emptyTrash: (lastCopies: boolean): Promise<TrashAnswer> => post("/api/trash/empty", { last_copies: lastCopies }),
  settle: (rows: string, keep: "neither" | "ours" | "theirs"): Promise<Kept> => post("/api/conflicts", { rows, keep }),
  albums: (): Promise<Album[]> => get("/api/albums"),
  newAlbum: (name: string, q?: string): Promise<{ id: number }> => post("/api/albums", { name, q }),
  renameAlbum: (id: number, name: string): Promise<void> => post(`/api/albums/${id}`, { name }, "PATCH"),
  deleteAlbum: (id: number): Promise<void> => post(`/api/albums/${id}`, {}, "DELETE"),
  albumPhotos: (id: number, rows: string, put: boolean): Promise<MarkAnswer> => post(`/api/albums/${id}/photos`, { rows, put }),
  arrangeAlbum: (id: number, rows: string, before: number | null): Promise<void> => post(`/api/albums/${id}/order`, { rows, before }),
  /** Asks for a copy of a clip that this browser can play. */
  convertClip: (row: number): Promise<{ state: "ready" | "making" | "impossible"; reason: string | null }> => post(`/api/clips/${row}`, {}),
  cards: (): Promise<Card[]> => get("/api/cards"),
  importNow: (): Promise<ImportNow> => get("/api/import"),
  async index(wish: IndexWish, signal?: AbortSignal): Promise<PhotoIndex> {
    const parameters = new URLSearchParams({ q: wish.query, sort: wish.sort });
    if (wish.descending) parameters.set("descending", "true");
    if (wish.closed) parameters.set("closed", "true");
    if (wish.album !== undefined) parameters.set("album", String(wish.album));
    if (wish.since !== undefined) parameters.set("since", String(wish.since));
    return PhotoIndex.parse(await (await ask(`/api/index?${parameters}`, { signal })).arrayBuffer());
  },
};

/** Long sides of the fit pictures that there are. */
const EDGES = [1280, 1920, 2560];

/** Addresses of pictures; the epoch makes them mean the same bytes for ever. */
export class Addresses {
  private readonly edge: number;

  /** `screen` is the long side of what pictures are fitted into, in device pixels. */
  constructor(
    private readonly epoch: string,
    screen: number,
  ) {
    this.edge = EDGES.find((edge) => edge >= screen) ?? EDGES[EDGES.length - 1];
  }

  private of(row: number, what: string): string {
    return `/media/${this.epoch}/${row}/${what}`;
  }

  thumbnail(row: number): string {
    return this.of(row, "thumbnail");
  }

  fit(row: number): string {
    return this.of(row, `fit/${this.edge}`);
  }

  full(row: number): string {
    return this.of(row, "full");
  }

  rendered(row: number): string {
    return this.of(row, "rendered");
  }

  playable(row: number): string {
    return this.of(row, "playable");
  }

  original(row: number, file: number): string {
    return this.of(row, `original/${file}`);
  }
}
