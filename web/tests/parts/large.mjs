// A library of a hundred thousand or a million photos: opening it, scrolling through it, its far end, searching
// it, and what the server needs for it. Must show 2 and 3.

import { count, open, pause, until } from "../support/app.mjs";
import { percentile } from "../support/figures.mjs";
import { Tracing } from "../support/tracing.mjs";

const QUERIES = [
  "camera:5D lens:70-200 rating:3..",
  "taken:2009..2012 iso:1600.. type:raw",
  "keyword:beach aperture:..2.8 -flag:reject",
  "lens:24-105 focal:..35 keyword:wedding",
  "camera:R5 iso:..400 kind:photo",
  "rating:4.. flag:pick type:raw",
];

export async function large({ program, browser, figures, library, photos, full }) {
  figures.section(`A library of ${photos.toLocaleString("en")} photos`);
  let server = await program.serve(library);
  const first = await browser.page();
  await first.page.goto(server.url, { waitUntil: "commit" });
  const shown = await first.page.evaluate(() => window.__probe.thumbnails(8));
  figures.most("the first thumbnails, after the page is asked for (a server just started)", shown, 1000, "ms");
  await until(async () => (await count(first.page)) === photos);
  await first.close();
  // Again with a server that has had a moment, and nothing in the browser.
  const opened = [];
  for (let i = 0; i < 5; i++) {
    const { page, close } = await browser.page();
    await page.goto(server.url, { waitUntil: "commit" });
    opened.push(await page.evaluate(() => window.__probe.thumbnails(8)));
    await close();
  }
  figures.most(`the first thumbnails, the slowest of ${opened.length} new browsers`, Math.max(...opened), 1000, "ms");

  const times = [];
  let matched = 0;
  for (let round = 0; round < 4; round++) {
    for (const query of QUERIES) {
      const began = performance.now();
      const answer = await (await server.ask(`/api/index?${new URLSearchParams({ q: query, descending: "true" })}`)).arrayBuffer();
      times.push(performance.now() - began);
      matched += new DataView(answer).getUint32(4, true);
    }
  }
  figures.most(`three filters, asked and answered, the slowest of ${times.length}`, Math.max(...times), 100, "ms");
  figures.note("the same, median; photos found on average", `${percentile(times, 50).toFixed(0)} ms; ${Math.round(matched / times.length)}`);
  figures.most("memory of the server", server.memory().most, 300, "MB");

  await scrolling({ browser, figures, server, photos, full });
  await ends({ browser, figures, server, photos });
  figures.most("memory of the server, at its most", server.memory().most, 300, "MB");
  await server.stop();
}

/** Wheel, keys and scrubber over the whole; each frame's work is read from the browser's own trace. */
async function scrolling({ browser, figures, server, photos, full }) {
  const { page, watched, close } = await browser.page();
  const thumbnails = new Set();
  page.on("response", (response) => {
    if (response.url().endsWith("/thumbnail") && response.ok()) thumbnails.add(response.url());
  });
  await open(page, server.url);
  await page.waitForFunction(() => document.querySelectorAll(".tile.loaded").length > 8);
  await page.mouse.move(640, 400);
  let nodes = 0;
  const look = async () => {
    nodes = Math.max(nodes, await page.evaluate(() => document.querySelectorAll(".grid *").length));
  };
  const tracing = await Tracing.begin(page);
  const wheel = async (delta, steps, gap) => {
    for (let i = 0; i < steps; i++) {
      await page.mouse.wheel(0, delta);
      await pause(gap);
      if (i % 20 === 0) await look();
    }
  };
  const rounds = full ? 4 : 1;
  for (let round = 0; round < rounds; round++) {
    await wheel(120, 60, 60); // reading
    await wheel(400, 100, 16); // searching
    await wheel(2500, 60, 16); // a fling
    await wheel(-400, 60, 16); // and back
    await page.keyboard.press("End");
    await wheel(-300, 80, 16);
    const box = await page.locator(".scrubber").boundingBox();
    await page.mouse.move(box.x + box.width / 2, box.y + box.height * 0.2);
    await page.mouse.down();
    for (let i = 0; i <= 60; i++) {
      await page.mouse.move(box.x + box.width / 2, box.y + box.height * (0.2 + 0.01 * i));
      await pause(16);
    }
    // Let go in the middle, where a made library has thumbnails.
    await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
    await page.mouse.up();
    await look();
    await page.mouse.move(640, 400);
    await page.keyboard.press("Home");
    await page.keyboard.press("PageDown");
  }
  const frames = await tracing.end();
  const p = (n) => percentile(frames, n);
  figures.note("frames; thumbnails loaded", `${frames.length}; ${thumbnails.size}`);
  figures.most("main-thread work of a frame while scrolling, p95", p(95), 16.7, "ms");
  figures.most("main-thread work of a frame while scrolling, p99", p(99), 33, "ms");
  figures.most("nodes in the grid, at most", nodes, 400, "nodes");
  figures.check(`all ${photos.toLocaleString("en")} are in the result`, (await count(page)) === photos);
  figures.equal("complaints", watched.complaints(), []);
  await close();
}

/** The last photo, by End and by the scrubber, at a device pixel ratio of 2. */
async function ends({ browser, figures, server, photos }) {
  const { page, watched, close } = await browser.page({ scale: 2 });
  await open(page, server.url);
  const last = () =>
    page.evaluate((photos) => {
      const tile = document.querySelector(`.tile[aria-posinset="${photos}"]`);
      const box = tile?.getBoundingClientRect();
      const area = document.querySelector(".grid-scroller").getBoundingClientRect();
      return box !== undefined && tile.style.display !== "none" && box.height > 0 && box.bottom <= area.bottom + 1 && box.top >= area.top && tile.classList.contains("loaded");
    }, photos);
  await page.waitForFunction(() => document.querySelector(".tile.loaded") !== null);
  await page.locator(".grid-scroller").focus();
  await page.keyboard.press("End");
  figures.check("the last photo is whole in sight after End, at a pixel ratio of 2", await until(last).catch(() => false));
  await page.keyboard.press("Home");
  await until(() => page.evaluate(() => document.querySelector('.tile[aria-posinset="1"]')?.classList.contains("loaded")));
  const box = await page.locator(".scrubber").boundingBox();
  await page.mouse.move(box.x + box.width / 2, box.y + 20);
  await page.mouse.down();
  await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2, { steps: 5 });
  await page.mouse.move(box.x + box.width / 2, box.y + box.height + 30, { steps: 5 });
  await page.mouse.up();
  figures.check("and by the scrubber", await until(last).catch(() => false));
  figures.equal("complaints", watched.complaints(), []);
  await close();
}
