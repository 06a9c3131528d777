// An accessibility check of what is on the screen, by axe-core's rules for WCAG 2 A and AA.

import { createRequire } from "node:module";
import { readFileSync } from "node:fs";

const source = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

export async function accessible(page, figures, what) {
  // By the debugger's way in, since the page's own policy lets no foreign script run.
  if (!(await page.evaluate(() => "axe" in window))) await page.evaluate(source);
  const violations = await page.evaluate(async () => {
    const found = await window.axe.run(document, { runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa"] });
    return found.violations.map(({ id, nodes }) => `${id}: ${nodes.slice(0, 3).map((n) => `${n.target} (${n.any[0]?.message ?? n.failureSummary ?? ""})`).join("; ")}`);
  });
  figures.equal(`accessibility of ${what}: violations`, violations, []);
}
