// What a person prefers, kept in this browser: sizes, panels, surroundings, keys. Nothing of it is in the library.

import { Keymap } from "./keys";

export interface Settings {
  /** Height of rows in the grid. */
  size: number;
  square: boolean;
  left: boolean;
  right: boolean;
  filter: boolean;
  filmstrip: boolean;
  surround: "black" | "dark" | "mid" | "light";
  advance: boolean;
  /** Of each stack only the photo on top is shown. */
  closed: boolean;
  info: 0 | 1 | 2;
  keys: Record<string, string[]>;
  /** The template of the last import. */
  template: string;
}

const KEY = "lightfast-settings";
const DEFAULTS: Settings = {
  size: 190,
  square: false,
  left: true,
  right: true,
  filter: true,
  filmstrip: true,
  surround: "dark",
  advance: false,
  closed: true,
  info: 1,
  keys: {},
  template: "{year}/{date}/{name}",
};

function stored(): Settings {
  try {
    return { ...DEFAULTS, ...(JSON.parse(localStorage.getItem(KEY) ?? "{}") as Partial<Settings>) };
  } catch {
    return { ...DEFAULTS };
  }
}

class Kept {
  value = $state<Settings>(stored());
  keymap = new Keymap(this.value.keys);

  set(change: Partial<Settings>): void {
    Object.assign(this.value, change);
    if (change.keys) this.keymap = new Keymap(change.keys);
    try {
      localStorage.setItem(KEY, JSON.stringify(this.value));
    } catch {
      // Preferences that cannot be kept still hold for this page.
    }
  }
}

export const settings = new Kept();
