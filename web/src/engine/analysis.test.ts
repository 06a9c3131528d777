import { expect, test } from "vitest";
import { clipping, histogram, peaking } from "./analysis";

/** A picture of one grey, with a few pixels set. */
function grey(width: number, height: number, value: number, set: [x: number, y: number, r: number, g: number, b: number][]): Uint8ClampedArray {
  const rgba = new Uint8ClampedArray(width * height * 4);
  for (let i = 0; i < width * height; i++) rgba.set([value, value, value, 255], i * 4);
  for (const [x, y, r, g, b] of set) rgba.set([r, g, b, 255], (y * width + x) * 4);
  return rgba;
}

test("the histogram counts every pixel once a channel, and the share that is clipped", () => {
  const h = histogram(grey(10, 10, 128, [[0, 0, 255, 10, 10], [1, 0, 0, 1, 0], [2, 0, 0, 0, 90]]));
  expect(h.red[255]).toBe(1);
  expect(h.green[128]).toBe(97);
  expect(h.red.reduce((a, b) => a + b)).toBe(100);
  expect(h.luma.reduce((a, b) => a + b)).toBe(100);
  expect([h.over, h.under]).toEqual([0.01, 0.01]);
});

test("clipping marks blown channels red and black blue, and nothing else", () => {
  const out = clipping(grey(3, 1, 128, [[0, 0, 254, 0, 0], [1, 0, 0, 0, 1]]));
  expect([...out.slice(0, 4)]).toEqual([255, 0, 0, 230]);
  expect([...out.slice(4, 8)]).toEqual([0, 90, 255, 230]);
  expect([...out.slice(8)]).toEqual([0, 0, 0, 0]);
});

test("peaking marks a sharp edge and not a soft one", () => {
  const [width, height] = [64, 8];
  const rgba = new Uint8ClampedArray(width * height * 4);
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      const soft = Math.min(255, x * 6);
      const value = x < 48 ? soft : x < 56 ? 255 : 0;
      rgba.set([value, value, value, 255], (y * width + x) * 4);
    }
  }
  const out = peaking(rgba, width, height);
  const marked = (x: number): boolean => out[(4 * width + x) * 4 + 3] > 0;
  expect(marked(20)).toBe(false);
  expect(marked(55) || marked(56)).toBe(true);
});
