// The first hour of a person: an empty library, an import from the page, looking, culling by keyboard alone,
// search, compare, undo, a server that is killed between two marks. Needs a card of at least a hundred photos.

import { setTimeout as wait } from "node:timers/promises";
import { accessible } from "../support/access.mjs";
import { activeRow, count, open, saved, shows, until } from "../support/app.mjs";

/** Marks of one photo as a program reads them from the catalogue. */
const marks = (photo) => ({ flag: photo.flag, rating: photo.rating, label: photo.label });

export async function first({ program, browser, figures, card, library, shots }) {
  figures.section("An empty library, and an import from the page");
  let server = await program.serve(library);
  const { page, watched, close } = await browser.page();
  await open(page, server.url);
  await page.getByRole("heading", { name: "This library is empty" }).waitFor();
  figures.check("the address loses its token", !page.url().includes("token"), page.url());
  await shots?.take(page, "empty");
  await accessible(page, figures, "the empty library");

  await page.getByRole("button", { name: "Import from a card" }).click();
  await page.getByLabel("Folder to import from").fill(card);
  await page.getByLabel("Folder to import from").blur();
  await page.locator(".names td").first().waitFor();
  const names = () => page.locator(".names td:nth-child(2)").first().textContent();
  const dated = await names();
  await page.getByLabel("Template of names").fill("{year}/{camera}/{seq:4}");
  await until(async () => (await names())?.includes("Canon EOS 5D Mark II/0001"));
  figures.check("the names follow the template as it is typed", dated !== (await names()));
  watched.expecting = true;
  await page.getByLabel("Template of names").fill("../{name}");
  await page.locator(".import [role=alert]").waitFor();
  watched.expecting = false;
  await page.getByLabel("Template of names").fill("{year}/{date}/{name}");
  await until(async () => (await names()) === dated);
  await shots?.take(page, "import");
  await accessible(page, figures, "the import page");
  await page.getByRole("button", { name: "Import", exact: true }).last().click();
  await page.locator(".verdict").waitFor({ timeout: 300_000 });
  figures.equal("the verdict", (await page.locator(".verdict").textContent()).trim(), "Safe to format");
  await shots?.take(page, "verdict");
  await page.getByRole("button", { name: "Look at them" }).click();
  const inCatalogue = (await program.json("list", "--library", library)).length;
  await until(async () => (await count(page)) === inCatalogue);
  figures.check("the page shows what the catalogue has", inCatalogue >= 100, `${inCatalogue} photos`);
  await page.waitForFunction(() => document.querySelectorAll(".tile.loaded").length >= 6);
  await shots?.take(page, "grid");
  await accessible(page, figures, "the grid");

  figures.section("Cull a hundred photos by keyboard alone");
  await open(page, server.url);
  await page.keyboard.press("Home");
  await page.keyboard.press("e");
  await shows(page, "thumbnail");
  const pattern = [
    ["Shift+P", { flag: "pick" }],
    ["Shift+X", { flag: "reject" }],
    ["Shift+4", { rating: 4 }],
    ["Shift+7", { label: "yellow" }],
    ["Shift+U", {}],
  ];
  const rows = await server.rows();
  const wanted = new Map();
  const began = Date.now();
  for (let i = 0; i < 100; i++) {
    const [key, mark] = pattern[i % pattern.length];
    await page.keyboard.press(key);
    wanted.set(rows[i], { flag: null, rating: 0, label: null, ...mark });
  }
  await saved(page);
  figures.note("a hundred photos", `${((Date.now() - began) / 1000).toFixed(1)} s, each mark on stable storage`);
  figures.equal("the photo after the last has the frame", await activeRow(page), rows[100]);
  const found = await server.photos(rows.slice(0, 100));
  const wrong = found.filter(({ row, photo }) => JSON.stringify(marks(photo)) !== JSON.stringify(wanted.get(row)));
  figures.equal("photos whose marks are not those pressed", wrong.length, 0);
  const listed = await program.json("list", "flag:pick", "--library", library);
  figures.equal("picked, as the command line counts them", listed.length, 20);

  figures.section("Undo and redo");
  await page.keyboard.press("Control+z");
  await page.keyboard.press("Control+z");
  await until(async () => (await program.json("list", "label:yellow", "--library", library)).length === 19);
  await page.keyboard.press("Control+Shift+Z");
  await page.keyboard.press("Control+Shift+Z");
  await until(async () => (await program.json("list", "label:yellow", "--library", library)).length === 20);
  figures.check("undone twice and done again twice, in the catalogue", true);

  figures.section("Search, and going back");
  await page.keyboard.press("g");
  await page.keyboard.press("/");
  await page.keyboard.type("flag:pi");
  await page.locator("#suggestions li").first().waitFor();
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Enter");
  await until(async () => (await count(page)) === 20);
  figures.check("the search is in the address", page.url().includes("q=flag%3Apick"), page.url());
  await shots?.take(page, "search");
  await page.goBack();
  await until(async () => (await count(page)) === inCatalogue);
  await page.goForward();
  await until(async () => (await count(page)) === 20);
  figures.check("back and forward go through searches", true);
  await page.keyboard.press("/");
  await page.keyboard.press("Control+a");
  await page.keyboard.type("rating:lots");
  watched.expecting = true;
  await page.keyboard.press("Enter");
  await page.locator(".search .problem").waitFor();
  figures.check("a search that is none says what is wrong", (await page.locator(".search .problem").textContent()).includes("character"));
  await page.keyboard.press("/");
  await page.keyboard.press("Control+a");
  await page.keyboard.type("keyword:nothinghasthis");
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "No photo matches" }).waitFor();
  await shots?.take(page, "nothing-matches");
  watched.expecting = false;
  await page.getByRole("button", { name: "Show all photos" }).click();

  figures.section("Compare, with one zoom for both");
  await page.waitForFunction(() => document.querySelector(".tile.loaded") !== null);
  await page.locator(".grid-scroller").focus();
  // A clip has a picture of one size only; two stills are looked at.
  const kinds = (await server.photos(rows.slice(0, 20))).map(({ photo }) => photo.kind);
  const first = kinds.findIndex((_, i) => kinds.slice(i, i + 3).every((kind) => kind === "photo"));
  const untouched = (await server.photos([rows[first]]))[0].photo.rating;
  await page.keyboard.press("Home");
  for (let i = 0; i < first; i++) await page.keyboard.press("ArrowRight");
  await page.keyboard.press("c");
  await page.waitForFunction(() => document.querySelectorAll(".pane").length === 2);
  await until(() => page.evaluate(() => [...document.querySelectorAll(".pane")].every((pane) => ["fit", "full"].includes(pane.dataset.level))));
  await shots?.take(page, "compare");
  await accessible(page, figures, "compare");
  await page.keyboard.press("z");
  await until(() => page.evaluate(() => [...document.querySelectorAll(".pane")].every((pane) => pane.dataset.zoom === "1")));
  figures.check("both panes zoom together", true);
  await page.keyboard.press("z");
  await page.keyboard.press("ArrowRight");
  await page.keyboard.press("5");
  await saved(page);
  figures.equal("a key in compare marks the one with the frame", (await server.photos([rows[first + 2]]))[0].photo.rating, 5);
  figures.equal("and not the other", (await server.photos([rows[first]]))[0].photo.rating, untouched);
  await page.keyboard.press("Escape");

  figures.section("Several at once");
  await page.keyboard.press("Home");
  for (let i = 0; i < 4; i++) await page.keyboard.press("Shift+ArrowRight");
  figures.check("says how many a key changes, before it does", (await page.locator(".targets").textContent()).includes("5 photos"));
  await page.keyboard.press("9");
  await saved(page);
  figures.equal("photos with the label", (await server.rows("label:blue")).length, 5);
  await page.keyboard.press("n");
  await page.waitForFunction(() => document.querySelectorAll(".pane").length === 5);
  await shots?.take(page, "survey");
  await page.keyboard.press("Escape");

  figures.section("Keys of one's own");
  await page.keyboard.press("?");
  await page.getByRole("dialog").waitFor();
  await accessible(page, figures, "the keys");
  await shots?.take(page, "keys");
  await page.getByRole("button", { name: /^Change the key of: Pick,/ }).click();
  await page.keyboard.press("d");
  await page.keyboard.press("Escape");
  await page.getByRole("dialog").waitFor({ state: "detached" });
  await page.keyboard.press("Control+d");
  await page.keyboard.press("End");
  await page.keyboard.press("d");
  await saved(page);
  figures.equal("a key that was given to another command does it", (await server.photos([rows.at(-1)]))[0].photo.flag, "pick");

  figures.section("The server is killed between two marks");
  const at = rows[50];
  await page.goto(`${server.origin}/?photo=${(await server.photos([at]))[0].photo.id}&view=loupe`);
  await shows(page, shots ? "fit" : "thumbnail");
  await shots?.take(page, "loupe");
  await page.keyboard.press("1");
  await saved(page);
  watched.expecting = true;
  await server.kill();
  await page.locator(".offline").waitFor();
  await page.keyboard.press("8");
  await page.keyboard.press("x");
  await until(async () => (await page.locator(".offline").textContent()).includes("2 marks wait"));
  await shots?.take(page, "offline");
  server = await restart(program, server);
  await open(page, server.url);
  await saved(page);
  watched.expecting = false;
  const after = (await server.photos([at]))[0].photo;
  figures.equal("all three marks are there", marks(after), { flag: "reject", rating: 1, label: "green" });

  figures.section("What the page did by the way");
  figures.equal("complaints", watched.complaints(), []);
  await close();
  await server.stop();
  await wait(50);
}

/** A new server on the same port, as a person would start it again. */
async function restart(program, server) {
  for (let tries = 0; ; tries++) {
    try {
      return await program.serve(server.library, server.port);
    } catch (error) {
      if (tries > 20) throw error;
      await wait(100);
    }
  }
}
