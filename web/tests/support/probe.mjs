// What is put into the page before anything else: clocks for what a person sees.
//
// A time is taken from the input event to the first painted frame in which a condition holds: the condition is
// looked at in each frame's callback, and a message posted from there arrives after that frame was painted.

/** Runs in the page; gets the levels of `levels.mjs`. */
export function probe(LEVELS) {
  const painted = (then) => {
    const channel = new MessageChannel();
    channel.port1.onmessage = () => then(performance.now());
    channel.port2.postMessage(0);
  };
  const conditions = {
    /** The photo's tile in the grid has this mark. */
    tile: (row, key, value) => document.getElementById(`photo-${row}`)?.dataset[key] === value,
    /** The line under the loupe has this text. */
    line: (text) => document.querySelector(".marks-line")?.textContent.replace(/\s+/g, "").includes(text) ?? false,
    /** The first pane shows another photo than this one, at this level or a better one. */
    moved: (from, level) => {
      const pane = document.querySelector(".pane");
      return pane !== null && pane.dataset.row !== String(from) && LEVELS.indexOf(pane.dataset.level) >= LEVELS.indexOf(level);
    },
    /** The first pane is zoomed to 1:1 and what it shows has all the pixels. */
    full: () => {
      const pane = document.querySelector(".pane");
      return pane?.dataset.sharp === "true" && Number(pane.dataset.zoom) >= 1;
    },
  };
  const frames = [];
  window.__probe = {
    /** Milliseconds from the next key to the condition's first painted frame. */
    afterKey: (name, ...args) =>
      new Promise((resolve, reject) => {
        const begin = (event) => {
          const from = event.timeStamp;
          const look = () => {
            if (conditions[name](...args)) painted((now) => resolve(now - from));
            else if (performance.now() - from > 15000) reject(new Error(`${name} ${args} did not come`));
            else requestAnimationFrame(look);
          };
          requestAnimationFrame(look);
        };
        addEventListener("keydown", begin, { capture: true, once: true });
      }),
    /** When the first `count` thumbnails were painted, in milliseconds since the page was asked for. */
    thumbnails: (count) =>
      new Promise((resolve) => {
        const look = () => {
          if (document.querySelectorAll(".tile.loaded").length >= count) painted(resolve);
          else requestAnimationFrame(look);
        };
        look();
      }),
    /** Wall-clock times at which each row's thumbnail was first there. */
    arrivals: () => {
      const seen = new Map();
      const look = () => {
        for (const tile of document.querySelectorAll(".tile.loaded")) {
          const row = Number(tile.id.slice("photo-".length));
          if (!seen.has(row)) painted((now) => seen.has(row) || seen.set(row, performance.timeOrigin + now));
        }
        requestAnimationFrame(look);
      };
      look();
      return (window.__probe.seen = seen) && undefined;
    },
    longest: 0,
    frames,
  };
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) window.__probe.longest = Math.max(window.__probe.longest, entry.duration);
  }).observe({ type: "longtask", buffered: true });
}
