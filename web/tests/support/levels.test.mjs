import { expect, test } from "vitest";
import { atLeast } from "./levels.mjs";

// The fit picture often comes before anyone has looked for the thumbnail: a run then waited for it for ever.
test("waiting for a thumbnail ends where a better picture came first", () => {
  expect(atLeast("thumbnail")).toEqual(["thumbnail", "fit", "full"]);
  expect(atLeast("fit")).not.toContain("thumbnail");
});
