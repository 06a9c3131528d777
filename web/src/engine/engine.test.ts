import { describe, expect, test } from "vitest";
import { encode, Flag, flagOf, labelOf, PhotoIndex, ratingOf, turnsOf, withFlag, withLabel, withRating, withTurns } from "./index";
import { Layout, type LayoutOptions } from "./layout";
import { Runway } from "./runway";
import { Selection } from "./selection";

/** Photos of mixed shapes, some hundreds a day, from a seed. */
function synthetic(count: number, firstRow = 1): PhotoIndex {
  let seed = 7;
  const random = (): number => (seed = (seed * 1103515245 + 12345) % 2147483648) / 2147483648;
  const shapes = [1500, 1500, 1500, 667, 1333, 750, 1778, 1000, 2400];
  const index = new PhotoIndex(
    new Uint32Array(count),
    new Float64Array(count),
    new Uint16Array(count),
    new Uint16Array(count),
    1,
    count,
  );
  let taken = 1_200_000_000;
  for (let i = 0; i < count; i++) {
    index.rows[i] = firstRow + i;
    taken += Math.floor(random() * 400);
    index.taken[i] = taken;
    index.aspect[i] = shapes[Math.floor(random() * shapes.length)];
  }
  return index;
}

const options: LayoutOptions = { width: 1600, target: 220, gap: 4, header: 40, square: false };

describe("the index", () => {
  test("survives its own encoding", () => {
    const index = synthetic(1000);
    index.taken[3] = NaN;
    const back = PhotoIndex.parse(encode(index));
    expect(back).toEqual(index);
    expect(encode(index).byteLength).toBe(32 + 12 * 1000);
  });

  test("refuses what is not one", () => {
    expect(() => PhotoIndex.parse(new ArrayBuffer(8))).toThrow("not an index");
    expect(() => PhotoIndex.parse(encode(synthetic(3)).slice(0, 60))).toThrow("cut short");
  });

  test("finds positions of rows", () => {
    const index = synthetic(10, 100);
    expect(index.positionOf(104)).toBe(4);
    expect(index.positionOf(99)).toBe(-1);
    expect(index.positionOf(5000)).toBe(-1);
  });

  test("marks do not disturb each other", () => {
    let marks = 1 << 8;
    marks = withTurns(withLabel(withFlag(withRating(marks, 5), Flag.Reject), 4), -1);
    expect([ratingOf(marks), flagOf(marks), labelOf(marks), turnsOf(marks), marks & (1 << 8)]).toEqual([5, 2, 4, 3, 256]);
    expect(withTurns(withLabel(withFlag(withRating(marks, 0), 0), 0), 0)).toBe(1 << 8);
  });

  test.each([false, true])("merges what an import adds in the server's order (newest first: %s)", (newestFirst) => {
    const order = (a: number, b: number): number => (newestFirst ? b - a : a - b);
    const make = (photos: [row: number, taken: number, marks: number][]): PhotoIndex =>
      new PhotoIndex(
        Uint32Array.from(photos, (p) => p[0]),
        Float64Array.from(photos, (p) => p[1]),
        Uint16Array.from(photos, () => 1500),
        Uint16Array.from(photos, (p) => p[2]),
        1,
        9,
      );
    const by = (p: [number, number, number][]): [number, number, number][] =>
      p.toSorted((a, b) => (Number.isNaN(a[1]) ? 1 : Number.isNaN(b[1]) ? -1 : order(a[1], b[1]) || order(a[0], b[0])));
    const merged = make(by([[1, 10, 0], [2, 30, 0], [3, NaN, 0]])).merged(
      make(by([[4, 10, 0], [5, 5, 0], [2, 30, 7], [6, 40, 0]])),
      newestFirst,
    );
    const wanted = by([[1, 10, 0], [2, 30, 7], [4, 10, 0], [5, 5, 0], [6, 40, 0]]);
    expect([...merged.rows]).toEqual([...wanted.map((p) => p[0]), 3]);
    expect(merged.marks[merged.positionOf(2)]).toBe(7);
    const none = PhotoIndex.empty;
    const gone = new PhotoIndex(none.rows, none.taken, none.aspect, none.marks, 2, 9, Uint32Array.of(4, 77));
    expect([...merged.merged(PhotoIndex.parse(encode(gone)), newestFirst).rows]).toEqual(
      [...merged.rows].filter((row) => row !== 4),
    );
  });
});

test("an index takes over marks in place, and nothing that moves", () => {
  const one = (row: number, taken: number, marks: number, gone: number[] = []): PhotoIndex =>
    new PhotoIndex(Uint32Array.of(row), Float64Array.of(taken), Uint16Array.of(1500), Uint16Array.of(marks), 9, 5, Uint32Array.from(gone));
  const index = one(3, 100, 0);
  expect(index.patch(one(3, 100, 7, [4]))).toBe(true);
  expect([index.marks[0], index.revision]).toEqual([7, 9]);
  expect(index.patch(one(3, 101, 1))).toBe(false);
  expect(index.patch(one(4, 100, 1))).toBe(false);
  expect(index.patch(one(3, 100, 1, [3]))).toBe(false);
  expect(index.marks[0]).toBe(7);
});

describe("the layout", () => {
  test.each([true, false])("covers every photo once, in order, inside the width (square: %s)", (square) => {
    const index = synthetic(5000);
    const layout = Layout.of(index.aspect, (i) => index.dayAt(i), { ...options, square });
    let next = 0;
    let bottom = 0;
    for (let row = 0; row < layout.rows; row++) {
      expect(layout.top[row]).toBeGreaterThanOrEqual(bottom - 0.01);
      let right = 0;
      layout.eachInRow(row, (i, x, width) => {
        expect(i).toBe(next++);
        expect(x).toBeGreaterThanOrEqual(right);
        right = x + width;
        expect(index.dayAt(i)).toBe(index.dayAt(layout.first[row]));
      });
      expect(right).toBeLessThanOrEqual(options.width + 0.1);
      bottom = layout.top[row] + layout.height[row];
    }
    expect(next).toBe(5000);
    expect(layout.total).toBeCloseTo(bottom, 3);
  });

  test("full rows fill the width and stay near the height aimed at", () => {
    const index = synthetic(5000);
    const layout = Layout.of(index.aspect, () => 0, { ...options, header: 0 });
    for (let row = 0; row < layout.rows - 1; row++) {
      let right = 0;
      layout.eachInRow(row, (_, x, width) => (right = x + width));
      expect(right).toBeCloseTo(1600, 1);
      expect(layout.height[row]).toBeGreaterThan(150);
      expect(layout.height[row]).toBeLessThan(330);
    }
  });

  test("finds rows by height and by position", () => {
    const index = synthetic(3000);
    const layout = Layout.of(index.aspect, (i) => index.dayAt(i), options);
    for (const position of [0, 1, 777, 2999]) {
      const box = layout.boxOf(position);
      const row = layout.rowOf(position);
      expect(layout.rowAt(box.y + 1)).toBe(row);
      expect(layout.first[row]).toBeLessThanOrEqual(position);
      expect(box.width).toBeGreaterThan(0);
    }
    expect(layout.rowAt(-5)).toBe(0);
    expect(layout.rowAt(layout.total + 1000)).toBe(layout.rows - 1);
  });

  test("up and down come back to the neighbour they left", () => {
    const index = synthetic(300);
    const layout = Layout.of(index.aspect, () => 0, { ...options, header: 0 });
    const below = layout.vertical(5, 1);
    expect(layout.rowOf(below)).toBe(layout.rowOf(5) + 1);
    expect(layout.vertical(0, -1)).toBe(0);
    expect(layout.vertical(299, 1)).toBe(299);
  });

  test("nothing, one panorama and unknown shapes", () => {
    expect(Layout.of(new Uint16Array(0), () => 0, options).total).toBe(0);
    const wide = Layout.of(Uint16Array.of(20000), () => 0, { ...options, header: 0 });
    expect(wide.boxOf(0)).toEqual({ x: 0, y: 0, width: 1600, height: 80 });
    expect(Layout.of(new Uint16Array(2), () => 0, { ...options, header: 0 }).boxOf(1).width).toBeCloseTo(330);
  });

  test("a narrow window still shows every photo", () => {
    const index = synthetic(50);
    const layout = Layout.of(index.aspect, (i) => index.dayAt(i), { ...options, width: 100 });
    expect(layout.first[layout.rows]).toBe(50);
    for (const h of layout.height) expect(h).toBeGreaterThan(0);
  });
});

describe("the runway", () => {
  test("is the whole where the whole is small", () => {
    const runway = new Runway();
    Object.assign(runway, { total: 5000, view: 800 });
    expect(runway.lay(1200)).toBe(1200);
    expect(runway.offset(4200)).toBe(4200);
    expect(runway.isShort(0, 500)).toBe(false);
  });

  test("reaches the first and the last pixel of 35 million", () => {
    const runway = new Runway();
    Object.assign(runway, { total: 35_100_000, view: 900 });
    expect(runway.height).toBe(Runway.MAX);
    expect(runway.lay(1e12)).toBe(Runway.MAX - 900);
    expect(runway.offset(Runway.MAX - 900)).toBe(35_100_000 - 900);
    expect(runway.isShort(Runway.MAX - 900, 5000)).toBe(false);
    expect(runway.lay(0)).toBe(0);
    expect(runway.isShort(0, 5000)).toBe(false);
    const native = runway.lay(17_000_000.25);
    expect(runway.offset(native)).toBe(17_000_000.25);
    expect(runway.isShort(native, 5000)).toBe(false);
    expect(runway.isShort(100, 5000)).toBe(true);
    expect(runway.isShort(Runway.MAX - 950, 5000)).toBe(true);
  });
});

describe("the selection", () => {
  test("ranges follow the order shown, and marks hit what is said", () => {
    const index = synthetic(10, 100);
    const selection = new Selection();
    expect(selection.targets(true)).toEqual([]);
    selection.only(103);
    selection.range(index, 106, false);
    expect(selection.rows()).toEqual([103, 104, 105, 106]);
    selection.range(index, 101, false);
    expect(selection.rows()).toEqual([101, 102, 103]);
    selection.toggle(108);
    expect(selection.count).toBe(4);
    expect(selection.targets(true)).toEqual([101, 102, 103, 108]);
    expect(selection.targets(false)).toEqual([108]);
  });

  test("holds while photos come and go", () => {
    const selection = new Selection();
    selection.all(synthetic(10, 100));
    expect(selection.count).toBe(10);
    selection.active = 104;
    selection.keepOnly(synthetic(3, 108));
    expect(selection.rows()).toEqual([108, 109]);
    expect(selection.active).toBe(-1);
  });
});
