// The app as a person handles it: what is on the screen, and waiting for it.

import { setTimeout as pause } from "node:timers/promises";
import { atLeast } from "./levels.mjs";

export { pause };

/** Opens the app and waits until it shows something. */
export async function open(page, url) {
  await page.goto(url);
  await page.locator(".app").waitFor();
  await page.waitForFunction(() => !document.querySelector(".count")?.textContent?.includes("loading"));
}

/** How many photos are shown: the last number of `3 of 1,000,000 photos`. */
export async function count(page) {
  const numbers = (await page.locator(".count").textContent()).match(/\d[\d,]*/g) ?? [];
  return Number(numbers.at(-1)?.replaceAll(",", ""));
}

/** Waits until nothing is on its way to the server. */
export const saved = (page) => page.waitForFunction(() => !document.querySelector(".bottom")?.textContent?.includes("being saved"));

/** Waits until the first pane shows its photo at a level at least this good. */
export const shows = (page, level = "fit") =>
  page.waitForFunction((levels) => levels.includes(document.querySelector(".pane")?.dataset.level), atLeast(level), { timeout: 20000 });

/** The row of the photo with the frame. */
export const activeRow = (page) =>
  page.evaluate(() => Number(document.querySelector(".pane")?.dataset.row ?? document.querySelector(".tile.active")?.id.slice(6) ?? -1));

/** Polls until something holds, for at most some seconds. */
export async function until(what, seconds = 20) {
  const end = Date.now() + seconds * 1000;
  for (;;) {
    const found = await what();
    if (found) return found;
    if (Date.now() > end) throw new Error(`waited ${seconds} s for: ${what}`);
    await pause(25);
  }
}

/** Milliseconds from a key to a condition of the probe. */
export async function timed(page, key, name, ...args) {
  // Armed before the key is pressed: the two travel on different ways.
  await page.evaluate(([name, args]) => {
    window.__probe.armed = window.__probe.afterKey(name, ...args);
    window.__probe.armed.catch(() => undefined);
  }, [name, args]);
  await page.keyboard.press(key);
  return page.evaluate(() => window.__probe.armed);
}
