// The app in a real browser: prints figures against their budgets, and what holds. `scripts/browser` builds what it
// needs and calls it.
//
//   node tests/run.mjs --program lightfast [--parts first,strangers] [--folder DIR] [--large DIR=PHOTOS]…
//     [--shots DIR] [--json FILE] [--short] [--times-unjudged]
//
// Without --parts it runs those that need no large library. Ends with status 1 where anything does not hold.

import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { first } from "./parts/first.mjs";
import { large } from "./parts/large.mjs";
import { live } from "./parts/live.mjs";
import { looking } from "./parts/looking.mjs";
import { strangers } from "./parts/strangers.mjs";
import { Browser, findChromium } from "./support/browser.mjs";
import { Figures } from "./support/figures.mjs";
import { Program } from "./support/program.mjs";
import { Shots } from "./support/shots.mjs";

const { values: options } = parseArgs({
  options: {
    program: { type: "string" },
    parts: { type: "string", default: "first,strangers,looking,live" },
    folder: { type: "string" },
    large: { type: "string", multiple: true, default: [] },
    shots: { type: "string" },
    json: { type: "string" },
    megapixels: { type: "string", default: "21" },
    files: { type: "string", default: "113" },
    short: { type: "boolean", default: false },
    "times-unjudged": { type: "boolean", default: false },
  },
});
const PARTS = ["first", "strangers", "looking", "live"];
const wanted = options.large.length > 0 && !process.argv.includes("--parts") ? [] : options.parts.split(",").filter(Boolean);
for (const part of wanted) if (!PARTS.includes(part)) throw new Error(`there is no part ${part}; there are ${PARTS.join(", ")}`);

/** Nothing can be tried here; says by name what is not. */
function skipAll(why) {
  for (const part of [...wanted, ...options.large.map(() => "large")]) console.log(`SKIPPED web/tests/parts/${part}.mjs: ${why}`);
  console.log(`0 passed, 0 failed, ${wanted.length + options.large.length} skipped`);
  process.exit(0);
}
if (!findChromium()) skipAll("no Chromium here");

const program = new Program(resolve(options.program ?? "../target/release/lightfast"));
if (!existsSync(program.path)) throw new Error(`${program.path} is not there; build it, or name it with --program`);
const browser = new Browser();
await browser.start().catch(async (error) => {
  await browser.stop();
  skipAll(`Chromium does not start (${String(error.message).split("\n")[0]})`);
});
const folder = mkdtempSync(join(options.folder ?? tmpdir(), "lightfast-web-"));
const figures = new Figures(!options["times-unjudged"]);
const shots = options.shots && new Shots(resolve(options.shots));
const card = join(folder, "card");
const library = join(folder, "library");
const end = () => {
  program.stopAll();
  rmSync(folder, { recursive: true, force: true });
};
process.on("SIGINT", () => {
  end();
  process.exit(130);
});

/** The made card, and the library that it was imported into, once. */
async function made() {
  if (existsSync(card)) return;
  await program.run("demo-card", card, "--files", options.files, "--megapixels", options.megapixels);
}
async function imported() {
  await made();
  if (!existsSync(library)) await program.run("import", card, "--library", library, "--quiet");
}

const parts = {
  async first() {
    await made();
    await first({ program, browser, figures, card, library, shots });
  },
  async strangers() {
    await imported();
    await strangers({ program, browser, figures, library });
  },
  async looking() {
    await imported();
    await looking({ program, browser, figures, library, graphics, times: options.short ? 10 : 40 });
  },
  async live() {
    await made();
    const cardAgain = join(folder, "card-of-before");
    await program.run("demo-card", cardAgain, "--files", "1", "--megapixels", "2", "--seed", "77");
    await live({ program, browser, figures, card, cardAgain, folder });
  },
};
const graphics = await browser.graphics();
try {
  for (const part of wanted) await attempt(part, parts[part]);
  for (const one of options.large) {
    const [dir, photos] = one.split("=");
    await attempt("large", () => large({ program, browser, figures, library: resolve(dir), photos: Number(photos), full: !options.short }));
  }
} finally {
  await browser.stop();
  end();
}

/** A part that ends by an error is one failure; the others go on. */
async function attempt(name, run) {
  try {
    await run();
  } catch (error) {
    figures.check(`the part ${name} ran to its end`, false, error.stack ?? String(error));
    await browser.last?.screenshot({ path: join(options.folder ?? tmpdir(), `lightfast-${name}-failed.png`) }).catch(() => undefined);
    program.stopAll();
  }
}

if (options.json) writeFileSync(options.json, `${JSON.stringify({ graphics, figures: figures.list }, null, 1)}\n`);
for (const line of figures.failed) console.log(`\nDOES NOT HOLD: ${line}`);
console.log(`\n${figures.passed} passed, ${figures.failed.length} failed, ${figures.skipped.length} skipped`);
process.exit(figures.failed.length > 0 ? 1 : 0);
