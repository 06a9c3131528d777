// What is known of single photos, asked for in batches and kept for a while.

import { api, type Details } from "./api";
import { packRows } from "./rows";

const BATCH = 64;
const KEPT = 3000;

export class DetailsCache {
  private readonly known = new Map<number, Details>();
  private readonly wanted = new Set<number>();
  private readonly asked = new Set<number>();
  private scheduled = false;

  constructor(private readonly changed: () => void) {}

  /** What is known; asks for it where nothing is. */
  get(row: number): Details | undefined {
    const details = this.known.get(row);
    if (!details && row >= 0 && !this.asked.has(row)) {
      this.wanted.add(row);
      this.schedule();
    }
    return details;
  }

  /** What is known, without asking. */
  peek(row: number): Details | undefined {
    return this.known.get(row);
  }

  put(details: Details): void {
    this.known.set(details.row, details);
  }

  /** Asks again for these, keeping what is known until the answer comes. */
  refresh(rows: Iterable<number>): void {
    for (const row of rows) if (this.known.has(row)) this.wanted.add(row);
    this.schedule();
  }

  forget(): void {
    this.known.clear();
    this.asked.clear();
  }

  private schedule(): void {
    if (this.scheduled || this.wanted.size === 0) return;
    this.scheduled = true;
    queueMicrotask(() => void this.ask());
  }

  private async ask(): Promise<void> {
    this.scheduled = false;
    const rows = [...this.wanted].slice(-BATCH);
    for (const row of rows) {
      this.wanted.delete(row);
      this.asked.add(row);
    }
    try {
      for (const details of await api.photos(packRows(rows))) this.known.set(details.row, details);
      if (this.known.size > KEPT) for (const row of [...this.known.keys()].slice(0, KEPT / 3)) this.known.delete(row);
      this.changed();
    } catch {
      // The page's own notice says that the server is silent; the next look asks again.
    } finally {
      for (const row of rows) this.asked.delete(row);
    }
    this.schedule();
  }
}
