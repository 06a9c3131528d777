// A real browser, and pages of it that are watched: nothing on the console, no request off the host.

import { existsSync } from "node:fs";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { chromium } from "playwright-core";
import { LEVELS } from "./levels.mjs";
import { probe } from "./probe.mjs";

const PLACES = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"];

/** Where Chromium is, or nothing. */
export const findChromium = () => process.env.CHROMIUM ?? PLACES.find((path) => existsSync(path));

// A browser that asks nothing of anyone by itself, so that every request seen is the page's.
const QUIET = [
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-default-apps",
  // Shared memory is 64 MB in many a container.
  "--disable-dev-shm-usage",
  "--disable-domain-reliability",
  "--disable-quic",
  "--disable-sync",
  "--no-default-browser-check",
  "--no-first-run",
  "--no-pings",
];

export class Browser {
  async start() {
    // Its own cache, thrown away: each run is cold.
    this.folder = mkdtempSync(join(process.env.LIGHTFAST_BROWSER_TMP ?? tmpdir(), "lightfast-browser-"));
    const launch = (...more) => chromium.launch({ executablePath: findChromium(), args: [...QUIET, ...more], headless: true });
    // Chromium's sandbox works neither as root nor in many a container; the pages shown here are our own.
    this.browser = process.getuid?.() === 0 ? await launch("--no-sandbox") : await launch().catch(() => launch("--no-sandbox"));
    return this;
  }

  /** A page of its own, with its own cookies and storage. */
  async page({ scale = 1, width = 1280, height = 720 } = {}) {
    const context = await this.browser.newContext({
      viewport: { width, height },
      deviceScaleFactor: scale,
      colorScheme: "dark",
      reducedMotion: "reduce",
      locale: "en-GB",
    });
    const page = await context.newPage();
    this.last = page;
    await page.addInitScript(probe, LEVELS);
    const watched = new Watched(page);
    return { page, watched, close: () => context.close() };
  }

  /** What draws: a GPU, or software. */
  async graphics() {
    const { page, close } = await this.page();
    const name = await page.evaluate(() => {
      const context = document.createElement("canvas").getContext("webgl");
      const info = context?.getExtension("WEBGL_debug_renderer_info");
      return context && info ? String(context.getParameter(info.UNMASKED_RENDERER_WEBGL)) : "none";
    });
    await close();
    const software = /swiftshader|llvmpipe|software|none/i.test(name);
    return `${software ? "no GPU" : "GPU"} (${name})`;
  }

  async stop() {
    await this.browser?.close();
    rmSync(this.folder, { recursive: true, force: true });
  }
}

/** What a page did that it must not. */
class Watched {
  constructor(page) {
    this.console = [];
    this.elsewhere = [];
    /** Answers of the server that were refusals; a test that provokes one takes it out again. */
    this.refused = [];
    /** Set while a test kills the server or asks for what is refused: the browser then logs failed loads. */
    this.expecting = false;
    page.on("console", (message) => {
      if (!["error", "warning"].includes(message.type())) return;
      if (this.expecting && /Failed to load resource|ERR_CONNECTION|ERR_INCOMPLETE|ERR_EMPTY/.test(message.text())) return;
      this.console.push(`${message.text()} (${message.location().url})`);
    });
    page.on("pageerror", (error) => this.console.push(`uncaught: ${error.stack ?? error.message}`));
    page.on("request", (request) => {
      const url = new URL(request.url());
      if (["blob:", "data:", "about:"].includes(url.protocol)) return;
      if (!["127.0.0.1", "localhost"].includes(url.hostname)) this.elsewhere.push(request.url());
    });
    page.on("websocket", (socket) => this.elsewhere.push(socket.url()));
  }

  /** Everything that is wrong, as lines. */
  complaints() {
    return [...this.console.map((line) => `console: ${line}`), ...this.elsewhere.map((url) => `request off the host: ${url}`)];
  }
}
