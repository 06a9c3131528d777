// What pixels say, computed off the main thread: histogram, clipping, focus peaking.
//
// All of it is of the camera's or the rendered JPEG, and the page says so: it is not the RAW's. Pure functions
// over RGBA bytes; the worker that calls them is `analysis.worker.ts`.

export interface Histogram {
  red: Uint32Array;
  green: Uint32Array;
  blue: Uint32Array;
  luma: Uint32Array;
  /** Share of pixels of which at least one channel is at the end. */
  over: number;
  under: number;
}

export const OVER = 254;
export const UNDER = 1;

export function histogram(rgba: Uint8ClampedArray): Histogram {
  const bins = (): Uint32Array => new Uint32Array(256);
  const h = { red: bins(), green: bins(), blue: bins(), luma: bins(), over: 0, under: 0 };
  const pixels = rgba.length / 4;
  for (let i = 0; i < rgba.length; i += 4) {
    const [r, g, b] = [rgba[i], rgba[i + 1], rgba[i + 2]];
    h.red[r]++;
    h.green[g]++;
    h.blue[b]++;
    h.luma[(r * 54 + g * 183 + b * 19) >> 8]++;
    if (r >= OVER || g >= OVER || b >= OVER) h.over++;
    if (r <= UNDER && g <= UNDER && b <= UNDER) h.under++;
  }
  if (pixels > 0) {
    h.over /= pixels;
    h.under /= pixels;
  }
  return h;
}

/** Marks clipped pixels: red where something is blown out, blue where all is black; else transparent. */
export function clipping(rgba: Uint8ClampedArray): Uint8ClampedArray<ArrayBuffer> {
  const out = new Uint8ClampedArray(rgba.length);
  for (let i = 0; i < rgba.length; i += 4) {
    const [r, g, b] = [rgba[i], rgba[i + 1], rgba[i + 2]];
    if (r >= OVER || g >= OVER || b >= OVER) {
      out[i] = 255;
      out[i + 3] = 230;
    } else if (r <= UNDER && g <= UNDER && b <= UNDER) {
      out[i + 1] = 90;
      out[i + 2] = 255;
      out[i + 3] = 230;
    }
  }
  return out;
}

/** Marks edges that are as sharp as pixels allow: the absolute Laplacian of the luma, above a threshold of its own picture. */
export function peaking(rgba: Uint8ClampedArray, width: number, height: number): Uint8ClampedArray<ArrayBuffer> {
  const luma = new Uint8Array(width * height);
  for (let i = 0; i < luma.length; i++) {
    luma[i] = (rgba[i * 4] * 54 + rgba[i * 4 + 1] * 183 + rgba[i * 4 + 2] * 19) >> 8;
  }
  const edge = new Uint16Array(width * height);
  const counts = new Uint32Array(1021);
  for (let y = 1; y < height - 1; y++) {
    for (let x = 1; x < width - 1; x++) {
      const i = y * width + x;
      const value = Math.abs(4 * luma[i] - luma[i - 1] - luma[i + 1] - luma[i - width] - luma[i + width]);
      edge[i] = value;
      counts[value]++;
    }
  }
  // The sharpest hundredth of this picture, but never mere noise.
  let threshold = 1020;
  for (let seen = 0; threshold > 40; threshold--) {
    seen += counts[threshold];
    if (seen > luma.length / 100) break;
  }
  const out = new Uint8ClampedArray(rgba.length);
  for (let i = 0; i < edge.length; i++) {
    if (edge[i] < threshold) continue;
    out[i * 4 + 1] = 255;
    out[i * 4 + 2] = 80;
    out[i * 4 + 3] = 255;
  }
  return out;
}
