// Screenshots for the documents: small, of made pictures, taken while the run goes by.

import { mkdirSync } from "node:fs";
import { join } from "node:path";

export class Shots {
  constructor(folder) {
    this.folder = folder;
    this.taken = [];
    mkdirSync(folder, { recursive: true });
  }

  async take(page, name) {
    // What passes by (a notice, a suggestion half drawn) is gone first.
    await page.locator(".notice").waitFor({ state: "detached" });
    await page.waitForTimeout(350);
    const path = join(this.folder, `${name}.jpg`);
    await page.screenshot({ path, type: "jpeg", quality: 72 });
    this.taken.push(path);
  }
}
