import { beforeAll, expect, test, vi } from "vitest";
import { PhotoIndex } from "../engine/index";

beforeAll(() => {
  vi.stubGlobal("location", { search: "", pathname: "/" });
  vi.stubGlobal("history", { pushState: () => undefined, replaceState: () => undefined });
});

test("the panel hears that compare moved the frame: it named one photo while keys changed the other", async () => {
  const { session } = await import("./session.svelte");
  session.index = new PhotoIndex(Uint32Array.of(11, 12), Float64Array.of(2, 1), Uint16Array.of(1, 1), Uint16Array.of(0, 0), 1, 12);
  session.selection.only(11);
  const before = session.tick;
  session.setView("compare");
  expect(session.compared).toEqual([11, 12]);
  expect(session.selection.active).toBe(12);
  expect(session.tick).toBeGreaterThan(before);
});
