// Imports as the page sees them: what the engine says, gathered into what a person wants to know.

import { api, type ProgressFacts, type Report } from "./api";
import type { Session } from "./session.svelte";

export interface FileLine {
  source: string;
  state: string;
  reason: string | null;
}

interface EngineEvent {
  event: string;
  [key: string]: unknown;
}

export class ImportState {
  running = $state(false);
  source = $state("");
  progress = $state<ProgressFacts>();
  report = $state<Report>();
  failure = $state<string>();
  /** Files that were not simply copied, the latest last. */
  lines = $state<FileLine[]>([]);

  constructor(private readonly session: Session) {}

  /** Takes up what runs already, or how the last import of this server ended. */
  async meet(): Promise<void> {
    const now = await api.importNow();
    Object.assign(this, {
      running: now.running,
      source: now.source,
      progress: now.progress ?? undefined,
      report: now.report ?? undefined,
      failure: now.failure ?? undefined,
    });
  }

  heard(data: unknown): void {
    const event = data as EngineEvent;
    switch (event.event) {
      case "started":
        Object.assign(this, { running: true, report: undefined, failure: undefined, progress: undefined, lines: [] });
        this.source = typeof event.source === "string" ? event.source : "";
        break;
      case "progress":
        this.progress = event as unknown as ProgressFacts;
        break;
      case "file": {
        const line = event as unknown as FileLine;
        if (line.state !== "copied" && line.state !== "duplicate") this.lines = [...this.lines.slice(-199), line];
        break;
      }
      case "report":
        this.report = event as unknown as Report;
        this.running = false;
        void this.session.refreshFacets();
        break;
      case "failed":
        this.failure = typeof event.what === "string" ? event.what : "the import stopped";
        this.running = false;
        break;
    }
  }
}
