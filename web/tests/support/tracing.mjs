// The main thread's work, frame by frame, from the browser's own trace: what every task of the page's main thread
// took between one frame and the next, be it script, style, layout, paint or the browser's own.

/** Whether an event is the beginning of a frame, as Chromium 156 calls it. */
const isFrame = (event) => event.name === "AnimationFrame" && event.ph === "b";

export class Tracing {
  static async begin(page) {
    const tracing = new Tracing();
    const session = await page.context().newCDPSession(page);
    tracing.session = session;
    tracing.events = [];
    session.on("Tracing.dataCollected", ({ value }) => {
      for (const event of value) {
        if (isFrame(event) || event.name.endsWith("RunTask")) tracing.events.push(event);
      }
    });
    const categories = "toplevel,disabled-by-default-devtools.timeline,devtools.timeline,__metadata";
    await session.send("Tracing.start", { traceConfig: { includedCategories: categories.split(","), excludedCategories: ["*"] } });
    return tracing;
  }

  /** Milliseconds of work of each frame. */
  async end() {
    const complete = new Promise((resolve) => this.session.once("Tracing.tracingComplete", resolve));
    await this.session.send("Tracing.end");
    await complete;
    // A run has one page of ours at a time; its main thread is the one with most frames.
    const begins = new Map();
    for (const event of this.events) {
      if (!isFrame(event)) continue;
      const key = `${event.pid} ${event.tid}`;
      begins.set(key, [...(begins.get(key) ?? []), event.ts]);
    }
    const [thread, starts] = [...begins].sort((a, b) => b[1].length - a[1].length)[0] ?? ["", []];
    if (starts.length === 0) throw new Error("the browser's trace has no frames: what it calls them must have changed");
    const tasks = this.events
      .filter((event) => event.name.endsWith("RunTask") && event.dur !== undefined && `${event.pid} ${event.tid}` === thread)
      .sort((a, b) => a.ts - b.ts);
    starts.sort((a, b) => a - b);
    const work = new Array(starts.length).fill(0);
    let frame = 0;
    let until = 0;
    for (const task of tasks) {
      // A task inside another is counted once.
      if (task.ts < until) continue;
      until = task.ts + task.dur;
      while (frame + 1 < starts.length && starts[frame + 1] < until) frame++;
      if (starts.length > 0 && until >= starts[frame]) work[frame] += task.dur / 1000;
    }
    return work;
  }
}
