// An import while the app is open: from the page and from the command line. Thumbnails come as files are safe, and
// marks made meanwhile hold. Must show 4 and 8.

import { join } from "node:path";
import { open, pause, saved, until } from "../support/app.mjs";
import { percentile } from "../support/figures.mjs";

export async function live({ program, browser, figures, card, cardAgain, folder }) {
  for (const by of ["the page", "the command line"]) {
    figures.section(`An import by ${by}, with the app open`);
    const library = join(folder, `live-${by === "the page" ? "page" : "line"}`);
    // One picture is there, so that the grid is what is looked at.
    await program.run("import", cardAgain, "--library", library, "--quiet");
    const server = await program.serve(library);
    const { page, watched, close } = await browser.page({ height: 1400, width: 1900 });
    await open(page, server.url);
    await page.evaluate(() => {
      const size = document.querySelector("input.size");
      size.value = "90";
      size.dispatchEvent(new Event("input", { bubbles: true }));
    });
    await page.waitForFunction(() => document.querySelector(".tile.loaded") !== null);
    const before = new Set(await server.rows());
    await page.evaluate(() => window.__probe.arrivals());
    // When each file is safe is the engine's word, as the page hears it too, or the catalogue's.
    const safe = new Map();
    const stop = server.listen((name, event) => {
      if (name === "import" && event.event === "file" && event.state === "copied") safe.set(event.path, Date.now());
    });
    let done;
    if (by === "the page") {
      await server.post("/api/import/start", { source: card, template: "{year}/{date}/{name}", job: null });
      done = until(async () => !(await server.json("/api/import")).running, 300);
    } else {
      done = watchCommand(program, card, library, safe);
    }
    // Marks are made on what has come so far, again and again, until the import ends.
    const marked = new Map();
    let ended = false;
    void done.then(() => (ended = true));
    while (!ended) {
      const row = await page.evaluate((known) => {
        const tiles = [...document.querySelectorAll(".tile.loaded")].filter((tile) => tile.style.display !== "none");
        const tile = tiles.find((t) => !known.includes(Number(t.id.slice(6))));
        tile?.scrollIntoView({ block: "nearest" });
        return tile ? Number(tile.id.slice(6)) : -1;
      }, [...before, ...marked.keys()]);
      if (row >= 0) {
        const hit = await page.locator(`#photo-${row}`).click({ timeout: 500 }).then(() => true, () => false);
        if (hit && (await page.evaluate((row) => document.getElementById(`photo-${row}`)?.classList.contains("active"), row))) {
          await page.keyboard.press("3");
          marked.set(row, 3);
        }
      }
      await pause(60);
    }
    await done;
    await saved(page);
    const rows = (await server.rows()).filter((row) => !before.has(row));
    await until(() => page.evaluate((n) => window.__probe.seen.size >= n, rows.length + before.size), 30).catch(() => undefined);
    const seen = new Map(await page.evaluate(() => [...window.__probe.seen]));
    await stop();
    const late = [];
    let unseen = 0;
    for (const { row, photo } of await server.photos(rows)) {
      const times = photo.files.flatMap((file) => file.copies.map((copy) => safe.get(copy.path))).filter(Boolean);
      if (times.length === 0) continue;
      if (seen.has(row)) late.push(seen.get(row) - Math.min(...times));
      else unseen++;
    }
    figures.note("photos that came; of them watched", `${rows.length}; ${late.length}`);
    figures.equal("photos whose thumbnail never came", unseen, 0);
    figures.most("from safe to seen, the slowest", Math.max(...late), 1000, "ms");
    figures.note("from safe to seen, median", `${percentile(late, 50).toFixed(0)} ms`);
    figures.check("marks were made while it ran", marked.size > 0, `${marked.size}`);
    const held = (await server.photos([...marked.keys()])).filter(({ photo }) => photo.rating === 3).length;
    figures.equal(`marks that hold, of ${marked.size}`, held, marked.size);
    figures.equal("complaints", watched.complaints(), []);
    await close();
    await server.stop();
  }
}

/** Runs the import as another process and notes when it says that a file is safe. */
async function watchCommand(program, card, library, safe) {
  const { spawn } = await import("node:child_process");
  const child = spawn(program.path, ["import", card, "--library", library, "--json"], { stdio: ["ignore", "pipe", "inherit"] });
  let text = "";
  child.stdout.on("data", (chunk) => {
    const lines = (text + chunk).split("\n");
    text = lines.pop();
    for (const line of lines) {
      const event = JSON.parse(line);
      if (event.event === "file" && event.state === "copied") safe.set(event.path, Date.now());
    }
  });
  return new Promise((resolve) => child.once("exit", resolve));
}
