// A page of another origin in the same browser, with the person's cookie at hand: it learns nothing and changes
// nothing.

import { createServer } from "node:http";
import { open } from "../support/app.mjs";

export async function strangers({ program, browser, figures, library }) {
  figures.section("A page of another origin");
  const server = await program.serve(library);
  const { page, close } = await browser.page();
  await open(page, server.url);
  const before = await server.json("/api/library");
  const row = (await server.rows())[0];
  const address = `/media/${before.epoch}/${row}/thumbnail`;
  const other = createServer((_, response) => {
    response.setHeader("content-type", "text/html");
    response.end("<!doctype html><title>elsewhere</title><form method=post enctype=text/plain></form>");
  });
  await new Promise((resolve) => other.listen(0, "127.0.0.1", resolve));
  // The same host with another port: as near as another site can be, so that even its cookies are sent.
  const stranger = await page.context().newPage();
  await stranger.goto(`http://127.0.0.1:${other.address().port}/`);
  const learnt = await stranger.evaluate(
    async ({ origin, address }) => {
      const attempt = (path, init) => fetch(origin + path, { credentials: "include", ...init }).then((r) => `${r.type} ${r.status}`, () => "refused");
      const picture = (src) =>
        new Promise((resolve) => {
          const image = new Image();
          image.onload = () => resolve("seen");
          image.onerror = () => resolve("refused");
          image.src = src;
        });
      const script = (src) =>
        new Promise((resolve) => {
          const element = document.createElement("script");
          element.onload = () => resolve("ran");
          element.onerror = () => resolve("refused");
          element.src = src;
          document.head.append(element);
        });
      const frame = () =>
        new Promise((resolve) => {
          const element = document.createElement("iframe");
          element.onload = () => {
            try {
              resolve(element.contentDocument ? `read ${element.contentDocument.body.innerText.length}` : "refused");
            } catch {
              resolve("refused");
            }
          };
          element.src = origin;
          document.body.append(element);
        });
      const mark = { method: "POST", headers: { "content-type": "text/plain" }, body: '{"rows":"1-999999","rating":1}', mode: "no-cors" };
      const events = () =>
        new Promise((resolve) => {
          const source = new EventSource(`${origin}/api/events`, { withCredentials: true });
          source.onopen = () => resolve("open");
          source.onerror = () => {
            source.close();
            resolve("refused");
          };
        });
      return {
        read: await attempt("/api/library"),
        mark: await attempt("/api/marks", { ...mark, mode: "cors" }),
        preflight: await attempt("/api/marks", { method: "POST", headers: { "content-type": "application/json" }, body: "{}" }),
        blind: await attempt("/api/marks", mark),
        picture: await picture(origin + address),
        script: await script(`${origin}/`),
        frame: await frame(),
        events: await events(),
      };
    },
    { origin: server.origin, address },
  );
  // A blind request gets an answer that says nothing to who asked; what counts is that it did nothing.
  figures.check("a blind request is answered with nothing to read", ["opaque 0", "refused"].includes(learnt.blind), learnt.blind);
  delete learnt.blind;
  figures.equal("what it could read or run", Object.entries(learnt).filter(([, said]) => said !== "refused"), []);
  await stranger.evaluate((origin) => {
    const form = document.querySelector("form");
    form.action = `${origin}/api/undo`;
    form.submit();
  }, server.origin);
  await stranger.waitForLoadState();
  const after = await server.json("/api/library");
  figures.equal("changes it made", after.revision - before.revision, 0);
  other.closeAllConnections();
  other.close();
  await close();
  await server.stop();
}
