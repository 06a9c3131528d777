// Keys and what they do: one table, from which the help sheet, the menus and the settings are made.
//
// A key is named as a person would: "Shift+P", "Ctrl+Z", "ArrowLeft", "\". Digits are taken from the key's place,
// so that they work without Shift on keyboards that have other signs there. Single keys do nothing while typing.

export interface Command {
  id: string;
  title: string;
  group: "Move" | "Mark" | "View" | "Look" | "Edit";
  keys: string[];
  /** With Shift (or Caps Lock on) the mark is followed by the next photo. */
  advances?: boolean;
}

const mark = (id: string, title: string, ...keys: string[]): Command => ({
  id,
  title,
  group: "Mark",
  keys,
  advances: true,
});

export const COMMANDS: readonly Command[] = [
  { id: "left", title: "Previous photo", group: "Move", keys: ["ArrowLeft"] },
  { id: "right", title: "Next photo", group: "Move", keys: ["ArrowRight"] },
  { id: "up", title: "Row above", group: "Move", keys: ["ArrowUp"] },
  { id: "down", title: "Row below", group: "Move", keys: ["ArrowDown"] },
  { id: "pageup", title: "Page up", group: "Move", keys: ["PageUp"] },
  { id: "pagedown", title: "Page down", group: "Move", keys: ["PageDown"] },
  { id: "home", title: "First photo", group: "Move", keys: ["Home"] },
  { id: "end", title: "Last photo", group: "Move", keys: ["End"] },
  mark("pick", "Pick", "P"),
  mark("reject", "Reject", "X"),
  mark("unflag", "Take the flag off", "U"),
  { id: "toggle-pick", title: "Pick or not", group: "Mark", keys: ["`"] },
  mark("rate-0", "No stars", "0"),
  mark("rate-1", "One star", "1"),
  mark("rate-2", "Two stars", "2"),
  mark("rate-3", "Three stars", "3"),
  mark("rate-4", "Four stars", "4"),
  mark("rate-5", "Five stars", "5"),
  { id: "rate-less", title: "One star less", group: "Mark", keys: ["["] },
  { id: "rate-more", title: "One star more", group: "Mark", keys: ["]"] },
  mark("label-red", "Red label", "6"),
  mark("label-yellow", "Yellow label", "7"),
  mark("label-green", "Green label", "8"),
  mark("label-blue", "Blue label", "9"),
  { id: "label-purple", title: "Purple label", group: "Mark", keys: [] },
  { id: "label-none", title: "No label", group: "Mark", keys: [] },
  { id: "turn-left", title: "Turn left", group: "Mark", keys: [","] },
  { id: "turn-right", title: "Turn right", group: "Mark", keys: ["."] },
  { id: "keep-one", title: "Keep this, reject the rest of its burst, go on", group: "Mark", keys: ["Ctrl+Enter"] },
  { id: "undo", title: "Undo marks", group: "Edit", keys: ["Ctrl+Z"] },
  { id: "redo", title: "Do again", group: "Edit", keys: ["Ctrl+Shift+Z", "Ctrl+Y"] },
  { id: "select-all", title: "Select all", group: "Edit", keys: ["Ctrl+A"] },
  { id: "select-none", title: "Select none", group: "Edit", keys: ["Ctrl+D"] },
  { id: "album-earlier", title: "Earlier in the album", group: "Edit", keys: ["Ctrl+ArrowLeft"] },
  { id: "album-later", title: "Later in the album", group: "Edit", keys: ["Ctrl+ArrowRight"] },
  { id: "stack", title: "Stack the selected", group: "Edit", keys: ["S"] },
  { id: "unstack", title: "Unstack", group: "Edit", keys: ["Shift+S"] },
  { id: "stack-top", title: "Put on top of its stack", group: "Edit", keys: ["Ctrl+S"] },
  { id: "stack-bursts", title: "Stack all bursts of this result", group: "Edit", keys: [] },
  { id: "stacks-closed", title: "Open or close all stacks", group: "View", keys: ["O"] },
  { id: "grid", title: "Grid", group: "View", keys: ["G"] },
  { id: "loupe", title: "Loupe", group: "View", keys: ["E", "Enter"] },
  { id: "compare", title: "Compare two", group: "View", keys: ["C"] },
  { id: "survey", title: "Survey the selected", group: "View", keys: ["N"] },
  { id: "back", title: "Back, or close", group: "View", keys: ["Escape"] },
  { id: "panels", title: "Side panels", group: "View", keys: ["T"] },
  { id: "everything", title: "All panels", group: "View", keys: ["Shift+T"] },
  { id: "full-screen", title: "Full screen", group: "View", keys: ["F"] },
  { id: "dim", title: "Dim the surroundings", group: "View", keys: ["L"] },
  { id: "filter", title: "Filter bar", group: "View", keys: ["\\"] },
  { id: "search", title: "Search", group: "View", keys: ["/"] },
  { id: "help", title: "Keys", group: "View", keys: ["?"] },
  { id: "smaller", title: "Smaller thumbnails, zoom out", group: "View", keys: ["-"] },
  { id: "larger", title: "Larger thumbnails, zoom in", group: "View", keys: ["="] },
  { id: "zoom", title: "Fit or 1:1 (hold for as long as it is held)", group: "Look", keys: ["Z", "Space"] },
  { id: "info", title: "Information over the photo", group: "Look", keys: ["I"] },
  { id: "histogram", title: "Histogram", group: "Look", keys: ["H"] },
  { id: "clipping", title: "Clipping", group: "Look", keys: ["J"] },
  { id: "peaking", title: "Focus peaking", group: "Look", keys: ["K"] },
  { id: "af-points", title: "Focus points of the camera", group: "Look", keys: ["A"] },
  { id: "rendered", title: "Camera's picture or rendered", group: "Look", keys: ["R"] },
];

/** The name of a pressed key, or undefined for a modifier alone. */
export function keyName(event: Pick<KeyboardEvent, "key" | "code" | "shiftKey" | "ctrlKey" | "metaKey" | "altKey">): string | undefined {
  const { key, code } = event;
  if (["Shift", "Control", "Alt", "Meta", "CapsLock", "AltGraph", "Dead", "Unidentified"].includes(key)) return undefined;
  let name = key === " " ? "Space" : key;
  let shifts = name.length > 1;
  const digit = /^(?:Digit|Numpad)(\d)$/.exec(code);
  if (digit) [name, shifts] = [digit[1], true];
  else if (name.length === 1 && name.toLowerCase() !== name.toUpperCase()) [name, shifts] = [name.toUpperCase(), true];
  const parts = [
    event.ctrlKey || event.metaKey ? "Ctrl" : "",
    event.altKey ? "Alt" : "",
    event.shiftKey && shifts ? "Shift" : "",
    name,
  ];
  return parts.filter(Boolean).join("+");
}

export interface Bound {
  command: Command;
  advance: boolean;
}

/** Keys as this person has them. */
export class Keymap {
  private readonly own: Map<string, string[]>;
  private byKey = new Map<string, Command>();

  constructor(own: Record<string, string[]> = {}) {
    this.own = new Map(Object.entries(own));
    this.sort();
  }

  keysOf(command: Command): string[] {
    return this.own.get(command.id) ?? command.keys;
  }

  /** Gives a command these keys; whoever had one of them loses it. */
  bind(id: string, keys: string[]): void {
    for (const command of COMMANDS) {
      const rest = this.keysOf(command).filter((k) => !keys.includes(k));
      if (command.id !== id && rest.length !== this.keysOf(command).length) this.own.set(command.id, rest);
    }
    this.own.set(id, keys);
    this.sort();
  }

  reset(): void {
    this.own.clear();
    this.sort();
  }

  toJSON(): Record<string, string[]> {
    return Object.fromEntries(this.own);
  }

  /** What a key does; Shift before a marking key means to go on after it. */
  find(name: string, capsLock: boolean): Bound | undefined {
    const exact = this.byKey.get(name);
    if (exact) return { command: exact, advance: capsLock && exact.advances === true };
    const plain = name.startsWith("Shift+") ? this.byKey.get(name.slice("Shift+".length)) : undefined;
    return plain?.advances ? { command: plain, advance: true } : undefined;
  }

  private sort(): void {
    this.byKey = new Map();
    for (const command of COMMANDS) for (const key of this.keysOf(command)) this.byKey.set(key, command);
  }
}

/** Whether keys belong to what has the focus. */
export function isTyping(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false;
  if (target.isContentEditable) return true;
  if (target instanceof HTMLInputElement) return !["checkbox", "radio", "range", "button"].includes(target.type);
  return target instanceof HTMLTextAreaElement || target instanceof HTMLSelectElement;
}
