// The state that belongs in the address: what is looked for, how it is sorted, how it is looked at.
//
// Going back goes to where one was; moving from photo to photo replaces the address instead of filling the
// history. Everything has a default, and what is default is not in the address.

import type { SortKey } from "./api";

export const VIEWS = ["grid", "loupe", "compare", "survey", "import", "trash"] as const;
export type ViewName = (typeof VIEWS)[number];

export interface Place {
  query: string;
  sort: SortKey;
  descending: boolean;
  view: ViewName;
  /** The lasting id of the photo that is looked at. */
  photo: string;
}

const SORTS: SortKey[] = ["taken", "imported", "rating", "name", "album"];

export function read(search: string): Place {
  const p = new URLSearchParams(search);
  const one = <T extends string>(value: string | null, of: readonly T[], otherwise: T): T =>
    of.find((v) => v === value) ?? otherwise;
  return {
    query: p.get("q") ?? "",
    sort: one(p.get("sort"), SORTS, "taken"),
    descending: p.get("order") !== "up",
    view: one(p.get("view"), VIEWS, "grid"),
    photo: p.get("photo") ?? "",
  };
}

export function write(place: Place): string {
  const p = new URLSearchParams();
  if (place.query) p.set("q", place.query);
  if (place.sort !== "taken") p.set("sort", place.sort);
  if (!place.descending) p.set("order", "up");
  if (place.view !== "grid") p.set("view", place.view);
  if (place.photo) p.set("photo", place.photo);
  const text = p.toString();
  return text ? `/?${text}` : "/";
}

/** Whether going from one to the other is a step that "back" should undo. */
export function isStep(from: Place, to: Place): boolean {
  return from.query !== to.query || from.view !== to.view || from.sort !== to.sort || from.descending !== to.descending;
}
