// How long a person waits in the loupe and after a key: Must show 1, and two cases from other programs (a fast
// cull that chokes, a view that hangs on decoding).

import { execFile } from "node:child_process";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { activeRow, open, pause, saved, shows, timed } from "../support/app.mjs";

const execute = promisify(execFile);

export async function looking({ program, browser, figures, library, graphics, times = 40 }) {
  figures.section(`Waiting in grid and loupe (${graphics})`);
  const server = await program.serve(library);
  const { page, watched, close } = await browser.page();
  await open(page, `${server.url}&q=kind:photo`);
  await page.waitForFunction(() => document.querySelectorAll(".tile.loaded").length > 8);
  await page.keyboard.press("Home");

  const inGrid = [];
  for (let i = 0; i < times; i++) {
    const row = await activeRow(page);
    const pick = i % 2 === 0;
    inGrid.push(await timed(page, pick ? "p" : "x", "tile", row, "flag", pick ? "⚑" : "✕"));
    if (i % 2) await page.keyboard.press("ArrowRight");
  }
  figures.p95("key to visible mark, grid", inGrid, 50);

  await page.keyboard.press("Home");
  await page.keyboard.press("e");
  await shows(page);
  const inLoupe = [];
  for (let i = 0; i < times; i++) {
    inLoupe.push(await timed(page, i % 2 ? "x" : "p", "line", i % 2 ? "✕" : "⚑"));
    await pause(30);
  }
  figures.p95("key to visible mark, loupe", inLoupe, 50);
  await saved(page);

  const ahead = [];
  for (let i = 0; i < times; i++) {
    await shows(page);
    await pause(900);
    ahead.push(await timed(page, "ArrowRight", "moved", await activeRow(page), "fit"));
  }
  figures.p95("next photo, fit view, prefetched", ahead, 50);

  const rows = await server.rows("kind:photo");
  const cold = await jumps({ program, browser, library, times, photos: rows.length });
  figures.p95("next photo, fit view, cold (ten photos on, never asked for before)", cold, 150);

  await page.keyboard.press("Home");
  const rested = [];
  for (let i = 0; i < Math.min(times, 25); i++) {
    await shows(page);
    await pause(1000);
    rested.push(await timed(page, "z", "full"));
    await page.keyboard.press("z");
    await page.keyboard.press("ArrowRight");
  }
  figures.p95("1:1, decoded ahead (photo shown for a second)", rested, 100);

  const atOnce = [];
  await page.reload();
  await shows(page);
  for (let i = 0; i < Math.min(times, 25); i++) {
    await page.keyboard.press("ArrowRight");
    await shows(page, "thumbnail");
    atOnce.push(await timed(page, "z", "full"));
    await page.keyboard.press("z");
    await page.waitForFunction(() => document.querySelector(".pane")?.dataset.zoom === "0");
  }
  figures.p95("1:1, cold", atOnce, 600);

  figures.section("A fast cull: a label and on to the next, eight a second");
  await page.keyboard.press("Home");
  await shows(page);
  await page.evaluate(() => (window.__probe.longest = 0));
  const fast = [];
  for (let i = 0; i < Math.min(rows.length - 2, 100); i++) {
    const from = await activeRow(page);
    const began = Date.now();
    fast.push(await timed(page, i % 3 ? "Shift+8" : "Shift+6", "moved", from, "thumbnail"));
    await pause(Math.max(0, 125 - (Date.now() - began)));
  }
  figures.p95("a fast cull does not choke: the next photo is seen", fast, 50);
  figures.most("the view does not hang on decoding: the longest task of the page meanwhile", await page.evaluate(() => window.__probe.longest), 50, "ms");
  await saved(page);
  figures.equal("complaints", watched.complaints(), []);
  await close();
  await server.stop();
}

/**
 * Goes on by ten, further than anything is fetched ahead. Each round has a new server, a browser without a cache and
 * originals that are not in the system's cache either.
 */
async function jumps({ program, browser, library, times, photos }) {
  const found = [];
  for (let start = 0; start < 9 && found.length < times; start++) {
    await forget(library);
    const server = await program.serve(library);
    const { page, close } = await browser.page();
    await open(page, `${server.url}&q=kind:photo`);
    await page.keyboard.press("Home");
    for (let i = 0; i < start; i++) await page.keyboard.press("ArrowRight");
    await page.keyboard.press("e");
    await shows(page);
    for (let at = start; at + 10 < photos && found.length < times; at += 10) {
      found.push(await timed(page, "PageDown", "moved", await activeRow(page), "fit"));
    }
    await close();
    await server.stop();
  }
  return found;
}

/** Takes the originals out of the system's cache. */
async function forget(library) {
  const entries = await readdir(library, { recursive: true, withFileTypes: true });
  for (const entry of entries) {
    if (!entry.isFile() || !/\.(cr2|jpg)$/i.test(entry.name)) continue;
    await execute("dd", [`if=${join(entry.parentPath, entry.name)}`, "iflag=nocache", "count=0", "status=none"]);
  }
}
