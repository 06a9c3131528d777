// Decoded pictures, before they are asked for.
//
// The page says what it wants, most urgent first; what is no longer wanted is cancelled, what is decoded stays
// until its bytes are needed for something more recent. Decoding happens off the main thread; a bitmap that is
// ready draws in one frame, so the loupe never waits for what it has foreseen.

export interface Wish {
  url: string;
  /** Only fetched, so that it lies encoded in the browser's cache. */
  encodedOnly?: boolean;
  /** Nobody looks at it yet: the server does what somebody looks at first. */
  ahead?: boolean;
}

/** Bytes of decoded pixels kept: two pictures of 21 megapixels and a dozen fits. */
export const BUDGET = 420 * 1024 * 1024;
const PARALLEL = 3;
const WARM = 400;
const AHEAD: RequestInit = { priority: "low", headers: { Purpose: "prefetch" } };

interface Entry {
  bitmap: ImageBitmap;
  bytes: number;
  used: number;
}

export type Decode = (blob: Blob) => Promise<ImageBitmap>;

export class Pictures {
  private readonly ready = new Map<string, Entry>();
  private readonly running = new Map<string, AbortController>();
  private readonly failed = new Map<string, string>();
  private readonly warm = new Set<string>();
  private wishes: Wish[] = [];
  private clock = 0;
  private total = 0;

  constructor(
    private readonly arrived: (url: string) => void,
    private readonly decode: Decode = decodeUpright,
    private readonly budget = BUDGET,
  ) {}

  get(url: string): ImageBitmap | undefined {
    const entry = this.ready.get(url);
    if (entry) entry.used = ++this.clock;
    return entry?.bitmap;
  }

  /** Why a picture did not come, where it did not. */
  problem(url: string): string | undefined {
    return this.failed.get(url);
  }

  forgetProblems(): void {
    this.failed.clear();
  }

  /** Replaces all wishes, the most urgent first. */
  want(wishes: Wish[]): void {
    this.wishes = wishes;
    const wanted = new Set(wishes.map((w) => w.url));
    for (const [url, controller] of this.running) if (!wanted.has(url)) controller.abort();
    this.pump();
  }

  private pump(): void {
    let looks = false;
    for (const wish of this.wishes) {
      if (this.running.size >= PARALLEL) return;
      // What somebody looks at has the machine to itself until it is there.
      if (wish.ahead && looks) continue;
      looks ||= !wish.ahead && this.running.has(wish.url);
      if (this.ready.has(wish.url) || this.running.has(wish.url) || this.failed.has(wish.url)) continue;
      if (wish.encodedOnly && this.warm.has(wish.url)) continue;
      looks ||= !wish.ahead;
      void this.load(wish);
    }
  }

  private async load(wish: Wish): Promise<void> {
    const controller = new AbortController();
    this.running.set(wish.url, controller);
    try {
      const response = await fetch(wish.url, { signal: controller.signal, ...(wish.ahead && AHEAD) });
      if (!response.ok) throw new Refused(await reason(response));
      const blob = await response.blob();
      this.remember(wish.url);
      if (!wish.encodedOnly) {
        const bitmap = await this.decode(blob);
        this.keep(wish.url, bitmap);
      }
    } catch (error) {
      // A cancelled or interrupted request may be wanted again; a refusal will be the same next time.
      if (error instanceof Refused) this.failed.set(wish.url, error.message);
      else if (!controller.signal.aborted && !(error instanceof TypeError)) {
        this.failed.set(wish.url, "the picture cannot be decoded");
      }
    }
    this.running.delete(wish.url);
    this.arrived(wish.url);
    this.pump();
  }

  private remember(url: string): void {
    this.warm.add(url);
    if (this.warm.size > WARM) for (const first of this.warm) return void this.warm.delete(first);
  }

  private keep(url: string, bitmap: ImageBitmap): void {
    const bytes = bitmap.width * bitmap.height * 4;
    this.ready.set(url, { bitmap, bytes, used: ++this.clock });
    this.total += bytes;
    const wanted = new Map(this.wishes.map((w, i) => [w.url, i]));
    while (this.total > this.budget && this.ready.size > 1) {
      // The first to go is what nobody wants, the longest unused first; then the least urgent wish.
      let worst: string | undefined;
      let worstScore = -Infinity;
      for (const [key, entry] of this.ready) {
        if (key === url) continue;
        const urgency = wanted.get(key);
        const score = urgency === undefined ? 1e12 - entry.used : urgency;
        if (score > worstScore) [worst, worstScore] = [key, score];
      }
      if (worst === undefined) break;
      const entry = this.ready.get(worst);
      this.total -= entry?.bytes ?? 0;
      this.ready.delete(worst);
      entry?.bitmap.close();
    }
  }
}

class Refused extends Error {}

async function reason(response: Response): Promise<string> {
  try {
    const body = (await response.json()) as { error?: { what?: string } };
    return body.error?.what ?? `the server answered ${response.status}`;
  } catch {
    return `the server answered ${response.status}`;
  }
}

async function decodeUpright(blob: Blob): Promise<ImageBitmap> {
  const bytes = new Uint8Array(await blob.arrayBuffer());
  forgetOrientation(bytes);
  return createImageBitmap(new Blob([bytes], { type: blob.type || "image/jpeg" }));
}

/**
 * Makes a JPEG say that it is upright, in place. Which turn a picture needs is known from the catalogue and
 * applied by us; a JPEG inside a RAW may carry its own tag, or none, and browsers would obey it on top.
 */
export function forgetOrientation(jpeg: Uint8Array): boolean {
  const view = new DataView(jpeg.buffer, jpeg.byteOffset, jpeg.byteLength);
  if (jpeg.length < 4 || view.getUint16(0) !== 0xffd8) return false;
  let changed = false;
  let at = 2;
  while (at + 4 <= jpeg.length && jpeg[at] === 0xff) {
    const marker = jpeg[at + 1];
    if (marker === 0xda || marker === 0xd9) break;
    const length = view.getUint16(at + 2);
    const end = at + 2 + length;
    if (length < 2 || end > jpeg.length) break;
    const exif = at + 4;
    if (marker === 0xe1 && exif + 14 <= end && view.getUint32(exif) === 0x45786966) {
      const tiff = exif + 6;
      const little = view.getUint16(tiff) === 0x4949;
      const entries = tiff + view.getUint32(tiff + 4, little);
      const count = entries + 2 <= end ? view.getUint16(entries, little) : 0;
      for (let i = 0; i < count; i++) {
        const entry = entries + 2 + i * 12;
        if (entry + 12 > end) break;
        if (view.getUint16(entry, little) === 0x0112) {
          view.setUint16(entry + 8, 1, little);
          changed = true;
        }
      }
    }
    at = end;
  }
  return changed;
}
