import { describe, expect, test, vi } from "vitest";
import { forgetOrientation, Pictures } from "./pictures";
import { FIT, panned, place, settled, under, upright, zoomAt } from "./view";

const picture = { width: 5616, height: 3744 };
const pane = { width: 1600, height: 900 };

describe("the view", () => {
  test("fit shows all of the picture, in the middle", () => {
    expect(place(FIT, picture, pane)).toEqual({ left: 125, top: 0, scale: 900 / 3744 });
    expect(place(FIT, { width: 100, height: 100 }, pane).scale).toBe(2);
  });

  test("zooming keeps the point under the pointer", () => {
    const before = under(FIT, picture, pane, 900, 300);
    const view = zoomAt(FIT, 1, picture, pane, 900, 300);
    const after = under(view, picture, pane, 900, 300);
    expect(after.x).toBeCloseTo(before.x, 3);
    expect(after.y).toBeCloseTo(before.y, 3);
  });

  test("no view shows beyond the picture's edge", () => {
    const corner = zoomAt(FIT, 1, picture, pane, 125, 0);
    expect(place(corner, picture, pane)).toEqual({ left: 0, top: 0, scale: 1 });
    const dragged = panned(corner, 5000, 5000, picture, pane);
    expect(place(dragged, picture, pane)).toEqual({ left: 0, top: 0, scale: 1 });
    const back = panned(dragged, -1e6, -1e6, picture, pane);
    expect(place(back, picture, pane)).toEqual({ left: 1600 - 5616, top: 900 - 3744, scale: 1 });
  });

  test("a view carried to a picture of another shape is still inside it", () => {
    const view = settled({ zoom: 1, x: 0.99, y: 0.01 }, { width: 3744, height: 5616 }, pane);
    const { left, top } = place(view, { width: 3744, height: 5616 }, pane);
    expect([left, top]).toEqual([1600 - 3744, 0]);
  });

  test("zooming out below fit is fit", () => {
    expect(zoomAt({ zoom: 1, x: 0.2, y: 0.2 }, 0.01, picture, pane, 3, 3)).toEqual(FIT);
  });
});

describe("orientation", () => {
  const corners = (orientation: number, turns: number): number[][] => {
    const { matrix: m } = upright(orientation, turns, 30, 20);
    // Where the stored top left and top right corners go.
    return [[0, 0], [30, 0]].map(([x, y]) => [m.a! * x + m.c! * y + m.e!, m.b! * x + m.d! * y + m.f!].map((v) => v + 0));
  };

  test.each([
    [1, 0, [[0, 0], [30, 0]]],
    [2, 0, [[30, 0], [0, 0]]],
    [3, 0, [[30, 20], [0, 20]]],
    [4, 0, [[0, 20], [30, 20]]],
    [5, 0, [[0, 0], [0, 30]]],
    [6, 0, [[20, 0], [20, 30]]],
    [7, 0, [[20, 30], [20, 0]]],
    [8, 0, [[0, 30], [0, 0]]],
    [1, 1, [[20, 0], [20, 30]]],
    [6, 1, [[30, 20], [0, 20]]],
    [1, -1, [[0, 30], [0, 0]]],
    [6, -1, [[0, 0], [30, 0]]],
  ])("%i with %i turns", (orientation, turns, wanted) => {
    expect(corners(orientation, turns)).toEqual(wanted);
  });

  test("a JPEG's own tag is made upright, in both byte orders, and nothing else is touched", () => {
    for (const little of [true, false]) {
      const tiff = little
        ? [0x49, 0x49, 42, 0, 8, 0, 0, 0, 1, 0, 0x12, 1, 3, 0, 1, 0, 0, 0, 6, 0, 0, 0]
        : [0x4d, 0x4d, 0, 42, 0, 0, 0, 8, 0, 1, 1, 0x12, 0, 3, 0, 0, 0, 1, 0, 6, 0, 0];
      const exif = [0x45, 0x78, 0x69, 0x66, 0, 0, ...tiff];
      const jpeg = Uint8Array.from([0xff, 0xd8, 0xff, 0xe1, 0, exif.length + 2, ...exif, 0xff, 0xda, 6, 6]);
      const wanted = jpeg.slice();
      wanted[wanted.lastIndexOf(6, wanted.length - 3)] = 1;
      expect(forgetOrientation(jpeg)).toBe(true);
      expect(jpeg).toEqual(wanted);
    }
    expect(forgetOrientation(Uint8Array.from([0xff, 0xd8, 0xff, 0xe1, 0xff, 0xff]))).toBe(false);
    expect(forgetOrientation(new Uint8Array(0))).toBe(false);
    const cut = Uint8Array.from([0xff, 0xd8, 0xff, 0xe1, 0, 16, 0x45, 0x78, 0x69, 0x66, 0, 0, 0x49, 0x49, 42, 0, 99, 0, 0, 0]);
    expect(forgetOrientation(cut)).toBe(false);
  });
});

describe("pictures", () => {
  const bitmap = (side: number): ImageBitmap => ({ width: side, height: side, close: vi.fn() }) as unknown as ImageBitmap;
  const settle = (): Promise<void> => new Promise((done) => setTimeout(done, 0));

  test("keeps within its budget, the least wanted going first, and cancels what is not wanted", async () => {
    const asked: string[] = [];
    const aborted: string[] = [];
    vi.stubGlobal("fetch", (url: string, { signal }: { signal: AbortSignal }) => {
      asked.push(url);
      if (url !== "slow") return Promise.resolve(new Response(new Blob(["x"])));
      return new Promise((_, refuse) =>
        signal.addEventListener("abort", () => {
          aborted.push(url);
          refuse(new DOMException("", "AbortError"));
        }),
      );
    });
    const pictures = new Pictures(() => {}, () => Promise.resolve(bitmap(10)), 1000);
    pictures.want([{ url: "a" }, { url: "b" }, { url: "slow" }]);
    await settle();
    pictures.want([{ url: "b" }, { url: "c" }, { url: "d", encodedOnly: true }]);
    await settle();
    await settle();
    expect(aborted).toEqual(["slow"]);
    expect(pictures.get("a")).toBeUndefined();
    expect(pictures.get("b")).toBeDefined();
    expect(pictures.get("c")).toBeDefined();
    expect(pictures.get("d")).toBeUndefined();
    expect(asked).toEqual(["a", "b", "slow", "c", "d"]);
    vi.unstubAllGlobals();
  });

  test("what is fetched ahead says so, and waits for what somebody looks at", async () => {
    const purposes: (string | null)[] = [];
    const asked: string[] = [];
    vi.stubGlobal("fetch", (url: string, init: RequestInit) => {
      asked.push(url);
      purposes.push(new Headers(init.headers).get("Purpose"));
      return Promise.resolve(new Response(new Blob(["jpeg"])));
    });
    const pictures = new Pictures(() => {}, () => Promise.resolve(bitmap(1)));
    pictures.want([{ url: "here" }, { url: "next", ahead: true }]);
    const waited = [...asked];
    await settle();
    await settle();
    expect(purposes).toEqual([null, "prefetch"]);
    expect(waited).toEqual(["here"]);
    vi.unstubAllGlobals();
  });

  test("a refusal is kept with its reason", async () => {
    vi.stubGlobal("fetch", () =>
      Promise.resolve(new Response(JSON.stringify({ error: { what: "no preview inside" } }), { status: 404 })),
    );
    const pictures = new Pictures(() => {}, () => Promise.resolve(bitmap(1)));
    pictures.want([{ url: "a" }]);
    await settle();
    await settle();
    expect(pictures.problem("a")).toBe("no preview inside");
    vi.unstubAllGlobals();
  });
});
