// Marks on their way to the server: shown at once, sent in order, kept until they are safe.
//
// Each press of a key is one request and one step of undo. What the server has not answered yet lies in the
// browser's storage, so that a mark made while the server was down, or killed between two marks, is sent when it
// is back. A mark that the server refuses is taken back on the screen and said aloud.

import { api, Trouble, type Change, type MarkAnswer } from "./api";

export interface Letter {
  rows: string;
  change: Change;
}

export interface OutboxHost {
  sent(letter: Letter, answer: MarkAnswer): void;
  refused(letter: Letter, trouble: Trouble): void;
  /** How many marks wait, and whether the server is out of reach. */
  waiting(count: number, offline: boolean): void;
}

const RETRY_MS = 1500;

export class Outbox {
  private letters: Letter[] = [];
  private sending = false;
  private timer: ReturnType<typeof setTimeout> | undefined;

  constructor(
    private readonly key: string,
    private readonly host: OutboxHost,
    private readonly storage: Pick<Storage, "getItem" | "setItem" | "removeItem">,
    private readonly send: (letter: Letter) => Promise<MarkAnswer> = (l) => api.mark(l.rows, l.change),
  ) {
    try {
      this.letters = JSON.parse(storage.getItem(key) ?? "[]") as Letter[];
    } catch {
      this.letters = [];
    }
  }

  get count(): number {
    return this.letters.length;
  }

  /** What still waits, oldest first: shown over what the server says. */
  get pending(): readonly Letter[] {
    return this.letters;
  }

  post(letter: Letter): void {
    this.letters.push(letter);
    this.save();
    void this.flush();
  }

  async flush(): Promise<void> {
    if (this.sending) return;
    this.sending = true;
    clearTimeout(this.timer);
    let offline = false;
    while (this.letters.length > 0 && !offline) {
      const letter = this.letters[0];
      try {
        const answer = await this.send(letter);
        this.letters.shift();
        this.save();
        this.host.sent(letter, answer);
      } catch (error) {
        const trouble = error instanceof Trouble ? error : new Trouble(String(error), 500);
        // Silence, a server without our token, and one that is busy are worth another try; the rest is final.
        if (trouble.status === 0 || trouble.status === 401 || trouble.status === 503) {
          offline = true;
        } else {
          this.letters.shift();
          this.save();
          this.host.refused(letter, trouble);
        }
      }
    }
    this.sending = false;
    this.host.waiting(this.letters.length, offline);
    if (offline) this.timer = setTimeout(() => void this.flush(), RETRY_MS);
  }

  private save(): void {
    try {
      if (this.letters.length > 0) this.storage.setItem(this.key, JSON.stringify(this.letters));
      else this.storage.removeItem(this.key);
    } catch {
      // Storage is full or forbidden: the marks are still in memory and still being sent.
    }
  }
}
