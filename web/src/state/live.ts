// Live events from the server, with one connection for all open pages of a browser.
//
// Browsers allow six connections to a server, and an event stream holds one for ever; so one page listens and
// tells the others. Whoever holds the lock listens; when its page closes the next one takes over.

export type Heard = (name: string, data: unknown) => void;

const NAMES = ["hello", "resync", "changed", "thumbnails", "import", "cards", "sidecars"];

export class Live {
  private readonly channel = new BroadcastChannel("lightfast-events");
  private source: EventSource | undefined;

  constructor(private readonly heard: Heard) {
    this.channel.addEventListener("message", (event: MessageEvent<{ name: string; data: unknown }>) =>
      this.heard(event.data.name, event.data.data),
    );
    if ("locks" in navigator) void navigator.locks.request("lightfast-events", () => this.listen());
    else void this.listen();
  }

  private listen(): Promise<never> {
    const source = new EventSource("/api/events");
    this.source = source;
    for (const name of NAMES) {
      source.addEventListener(name, (event: MessageEvent<string>) => {
        const data: unknown = JSON.parse(event.data);
        this.tell(name, data);
      });
    }
    source.addEventListener("error", () => {
      this.tell("silence", {});
      // A refused stream is not tried again by the browser.
      if (this.source?.readyState === EventSource.CLOSED) setTimeout(() => void this.listen(), 2000);
    });
    return new Promise(() => {});
  }

  private tell(name: string, data: unknown): void {
    this.heard(name, data);
    this.channel.postMessage({ name, data });
  }
}
