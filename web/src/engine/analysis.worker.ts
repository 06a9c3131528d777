// The worker around `analysis.ts`: a bitmap in, a histogram and overlays out. One request at a time.

import { clipping, histogram, peaking, type Histogram } from "./analysis";

export interface Request {
  id: number;
  bitmap: ImageBitmap;
  clipping: boolean;
  peaking: boolean;
}

export interface Reply {
  id: number;
  histogram: Histogram;
  clipping?: ImageBitmap;
  peaking?: ImageBitmap;
}

self.addEventListener("message", (event: MessageEvent<Request>) => void answer(event.data));

async function answer({ id, bitmap, ...wanted }: Request): Promise<void> {
  const { width, height } = bitmap;
  const context = new OffscreenCanvas(width, height).getContext("2d", { willReadFrequently: true });
  if (!context) return;
  context.drawImage(bitmap, 0, 0);
  bitmap.close();
  const { data } = context.getImageData(0, 0, width, height);
  const picture = (pixels: Uint8ClampedArray<ArrayBuffer>): Promise<ImageBitmap> =>
    createImageBitmap(new ImageData(pixels, width, height));
  const reply: Reply = { id, histogram: histogram(data) };
  if (wanted.clipping) reply.clipping = await picture(clipping(data));
  if (wanted.peaking) reply.peaking = await picture(peaking(data, width, height));
  const transfer = [reply.clipping, reply.peaking].filter((b) => b !== undefined);
  (self as unknown as Worker).postMessage(reply, transfer);
}
