// What part of a picture is looked at, and at what size: plain numbers, so that it can be carried to the next
// photo, shared by panes that are compared, and tested without a browser.

export interface View {
  /** Device pixels for one pixel of the picture; 0 is "as large as fits". */
  zoom: number;
  /** What is at the middle of the pane, 0 to 1 of the picture's width and height. */
  x: number;
  y: number;
}

export const FIT: View = { zoom: 0, x: 0.5, y: 0.5 };
export const MAX_ZOOM = 8;

export interface Size {
  width: number;
  height: number;
}

/** Where the picture lies in the pane, in device pixels. */
export interface Placed {
  left: number;
  top: number;
  scale: number;
}

/** The scale at which all of the picture is seen; small pictures are not blown up beyond twice. */
export function fitScale(picture: Size, pane: Size): number {
  return Math.min(pane.width / picture.width, pane.height / picture.height, 2);
}

export function place(view: View, picture: Size, pane: Size): Placed {
  const scale = view.zoom || fitScale(picture, pane);
  const along = (share: number, size: number, room: number): number => {
    const shown = size * scale;
    if (shown <= room) return Math.round((room - shown) / 2);
    return Math.round(Math.min(0, Math.max(room - shown, room / 2 - share * shown))) + 0;
  };
  return {
    left: along(view.x, picture.width, pane.width),
    top: along(view.y, picture.height, pane.height),
    scale,
  };
}

/** The point of the picture (0 to 1) under a point of the pane. */
export function under(view: View, picture: Size, pane: Size, x: number, y: number): { x: number; y: number } {
  const { left, top, scale } = place(view, picture, pane);
  const share = (at: number, size: number): number => Math.min(1, Math.max(0, at / (size * scale)));
  return { x: share(x - left, picture.width), y: share(y - top, picture.height) };
}

/** The same view with its middle where the picture can really be put. */
export function settled(view: View, picture: Size, pane: Size): View {
  if (view.zoom === 0) return { ...view };
  const { left, top, scale } = place(view, picture, pane);
  const middle = (offset: number, size: number, room: number): number => (room / 2 - offset) / (size * scale);
  return {
    zoom: view.zoom,
    x: middle(left, picture.width, pane.width),
    y: middle(top, picture.height, pane.height),
  };
}

/** Zooms so that the point of the picture under (x, y) of the pane stays there. */
export function zoomAt(view: View, zoom: number, picture: Size, pane: Size, x: number, y: number): View {
  const fit = fitScale(picture, pane);
  if (zoom <= fit) return { ...FIT };
  const to = Math.min(zoom, Math.max(MAX_ZOOM, fit));
  const point = under(view, picture, pane, x, y);
  const middle = (share: number, size: number, at: number, room: number): number =>
    share + (room / 2 - at) / (size * to);
  return settled(
    {
      zoom: to,
      x: middle(point.x, picture.width, x, pane.width),
      y: middle(point.y, picture.height, y, pane.height),
    },
    picture,
    pane,
  );
}

export function panned(view: View, dx: number, dy: number, picture: Size, pane: Size): View {
  if (view.zoom === 0) return view;
  const moved = {
    zoom: view.zoom,
    x: view.x - dx / (picture.width * view.zoom),
    y: view.y - dy / (picture.height * view.zoom),
  };
  return settled(moved, picture, pane);
}

/**
 * The matrix that puts stored pixels of `width` by `height` upright, for EXIF's orientations and further quarter
 * turns clockwise; and the size after it.
 */
export function upright(orientation: number, turns: number, width: number, height: number): { matrix: DOMMatrix2DInit; size: Size } {
  // Each orientation as (a, b, c, d): x' = a x + c y, y' = b x + d y, in a unit square around its middle.
  const table: Record<number, [number, number, number, number]> = {
    1: [1, 0, 0, 1],
    2: [-1, 0, 0, 1],
    3: [-1, 0, 0, -1],
    4: [1, 0, 0, -1],
    5: [0, 1, 1, 0],
    6: [0, 1, -1, 0],
    7: [0, -1, -1, 0],
    8: [0, -1, 1, 0],
  };
  let [a, b, c, d] = table[orientation] ?? table[1];
  for (let i = 0; i < (((turns % 4) + 4) & 3); i++) [a, b, c, d] = [-b, a, -d, c];
  const swapped = a === 0;
  const size = swapped ? { width: height, height: width } : { width, height };
  const e = size.width / 2 - (a * width) / 2 - (c * height) / 2;
  const f = size.height / 2 - (b * width) / 2 - (d * height) / 2;
  return { matrix: { a, b, c, d, e, f }, size };
}
