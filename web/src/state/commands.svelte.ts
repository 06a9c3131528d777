// What each command does: the one place where keys, menus and buttons meet.

import { Flag, flagOf, isStack } from "../engine/index";
import type { Grid } from "../engine/grid";
import { PAGE, type Viewer } from "../engine/viewer";
import { isTyping, keyName, type Command } from "./keys";
import { api } from "./api";
import { mayClose } from "./query";
import { session, stars } from "./session.svelte";
import { settings } from "./settings.svelte";

/** What is open on top of the view. */
export const overlays = $state({
  help: false,
  clipping: false,
  peaking: false,
  rendered: false,
  everything: true,
  dim: false,
  menu: undefined as { x: number; y: number } | undefined,
});

/** The parts that are not reactive, put here by the components that own them. */
export const parts: { grid?: Grid; viewer?: Viewer; search?: HTMLInputElement; video?: HTMLVideoElement } = {};

type Step = Parameters<Grid["step"]>[1];
const STEPS = ["left", "right", "up", "down", "pageup", "pagedown", "home", "end"];

function move(step: Step, extend: boolean): void {
  const { index } = session;
  if (index.length === 0) return;
  const view = session.place.view;
  let position: number;
  if (view === "grid" && parts.grid) {
    position = parts.grid.step(session.position, step);
  } else if (view === "compare") {
    return moveCompared(step);
  } else if (view === "survey") {
    const rows = session.compared;
    const at = rows.indexOf(session.selection.active) + (step === "left" || step === "up" ? -1 : 1);
    const row = rows[Math.min(Math.max(0, at), rows.length - 1)];
    session.selection.active = row;
    return session.selected();
  } else {
    const by: Record<string, number> = { left: -1, up: -1, right: 1, down: 1, pageup: -PAGE, pagedown: PAGE };
    const last = index.length - 1;
    position = step === "home" ? 0 : step === "end" ? last : Math.min(last, Math.max(0, session.position + by[step]));
  }
  session.moveTo(position, extend && view === "grid");
  if (view === "grid") parts.grid?.reveal(position);
}

/** In compare the first stays, the second moves on. */
function moveCompared(step: Step): void {
  const [kept, other] = session.compared;
  const { index } = session;
  const direction = step === "left" || step === "up" ? -1 : 1;
  let at = index.positionOf(other ?? kept) + direction;
  if (index.rows[at] === kept) at += direction;
  const row = index.rows[at];
  if (row === undefined) return;
  session.forward = direction > 0;
  session.compared = [kept, row];
  session.selection.active = row;
  session.selected();
}

function after(advance: boolean): void {
  if (advance) move("right", false);
}

/** The longest pause between pictures of one burst or bracket. */
const BURST_SECONDS = 1;

const LABEL_SAID: Record<string, string> = { none: "No label" };

/** Does a command; `advance` goes on to the next photo afterwards. */
export function run(id: string, advance = false, extend = false): void {
  advance ||= settings.value.advance;
  if (STEPS.includes(id)) return move(id as Step, extend);
  const rate = /^rate-([0-5])$/.exec(id);
  if (rate) {
    const rating = Number(rate[1]);
    session.mark({ rating }, stars(rating));
    return after(advance);
  }
  const label = /^label-(\w+)$/.exec(id);
  if (label) {
    const name = label[1];
    session.mark({ label: name }, LABEL_SAID[name] ?? `${name[0].toUpperCase()}${name.slice(1)} label`);
    return after(advance);
  }
  COMMAND_TABLE[id]?.(advance);
}

const COMMAND_TABLE: Record<string, (advance: boolean) => void> = {
  pick: (advance) => {
    session.mark({ flag: "pick" }, "Picked");
    after(advance);
  },
  reject: (advance) => {
    session.mark({ flag: "reject" }, "Rejected");
    after(advance);
  },
  unflag: (advance) => {
    session.mark({ flag: "none" }, "Flag taken off");
    after(advance);
  },
  "toggle-pick": () => {
    const at = session.position;
    const picked = at >= 0 && flagOf(session.index.marks[at]) === Flag.Pick;
    session.mark({ flag: picked ? "none" : "pick" }, picked ? "Flag taken off" : "Picked");
  },
  "rate-less": () => session.rateBy(-1),
  "rate-more": () => session.rateBy(1),
  "turn-left": () => session.mark({ rotate: -90 }, "Turned left"),
  "turn-right": () => session.mark({ rotate: 90 }, "Turned right"),
  "keep-one": () => void session.keepOne(),
  stack: () => session.stack("stack"),
  unstack: () => session.stack("unstack"),
  "stack-top": () => session.stack("top"),
  "stack-bursts": () =>
    void session.ask(api.stackBursts(session.place.query, BURST_SECONDS), (n) => `${n.toLocaleString()} photos are in stacks now`),
  "stacks-closed": () => {
    settings.set({ closed: !settings.value.closed });
    session.say(settings.value.closed ? "Stacks are closed" : "Stacks are open");
    void session.load();
  },
  "album-earlier": () => void session.moveInAlbum(false),
  "album-later": () => void session.moveInAlbum(true),
  undo: () => void session.undo(),
  redo: () => void session.redo(),
  "select-all": () => {
    session.selection.all(session.index);
    session.selected();
  },
  "select-none": () => {
    session.selection.clear();
    session.selected();
  },
  grid: () => session.setView("grid"),
  loupe: () => {
    const at = session.position;
    const closed = session.place.view === "grid" && settings.value.closed && mayClose(session.place.query);
    if (closed && at >= 0 && isStack(session.index.marks[at])) void session.openStack();
    else session.setView(session.place.view === "loupe" ? "grid" : "loupe");
  },
  compare: () => session.setView("compare"),
  survey: () => session.setView("survey"),
  back: () => {
    if (overlays.help || overlays.menu) Object.assign(overlays, { help: false, menu: undefined });
    else if (session.place.view !== "grid") session.setView("grid");
    else COMMAND_TABLE["select-none"](false);
  },
  panels: () => {
    const on = !(settings.value.left || settings.value.right);
    settings.set({ left: on, right: on });
  },
  everything: () => (overlays.everything = !overlays.everything),
  "full-screen": () => {
    if (document.fullscreenElement) void document.exitFullscreen();
    else void document.documentElement.requestFullscreen().catch(() => session.say("Full screen is not allowed here", "wrong"));
  },
  dim: () => (overlays.dim = !overlays.dim),
  filter: () => settings.set({ filter: !settings.value.filter }),
  search: () => parts.search?.focus(),
  help: () => (overlays.help = !overlays.help),
  smaller: () => size(1 / 1.25),
  larger: () => size(1.25),
  zoom: () => parts.viewer?.toggleZoom(),
  info: () => settings.set({ info: ((settings.value.info + 1) % 3) as 0 | 1 | 2 }),
  histogram: () => settings.set({ right: !settings.value.right }),
  clipping: () => (overlays.clipping = !overlays.clipping),
  peaking: () => (overlays.peaking = !overlays.peaking),
  rendered: () => {
    overlays.rendered = !overlays.rendered;
    session.say(overlays.rendered ? "Rendered from the RAW, where there is one" : "The camera's own picture");
  },
};

function size(factor: number): void {
  if (session.place.view === "grid") {
    settings.set({ size: Math.round(Math.min(420, Math.max(90, settings.value.size * factor))) });
  } else {
    parts.viewer?.zoomBy(factor * factor);
  }
}

/** Whether a command can be done at all, so that menus do not offer what is not there. */
export const isKnown = (command: Command): boolean =>
  STEPS.includes(command.id) || /^(rate-[0-5]|label-\w+)$/.test(command.id) || command.id in COMMAND_TABLE;

const HOLD_MS = 250;
let zoomDown = 0;

/** Keys of the whole page. Returns whether the key was ours. */
export function keyDown(event: KeyboardEvent): boolean {
  if (event.defaultPrevented || (isTyping(event.target) && event.key !== "Escape")) return false;
  const name = keyName(event);
  if (!name) return false;
  const { target } = event;
  // Buttons and fields keep their own keys.
  if (target instanceof HTMLElement && target.matches("button, a, summary, input, [role=slider]") && ["Space", "Enter", "ArrowLeft", "ArrowRight", "ArrowUp", "ArrowDown"].includes(name)) {
    return false;
  }
  if (session.place.view === "import" && !["back", "help"].includes(settings.keymap.find(name, false)?.command.id ?? "")) return false;
  if (overlays.help && name !== "Escape" && name !== "?") return false;
  const video = parts.video;
  if (video && videoKey(video, name)) return true;
  const extend = name.startsWith("Shift+") && STEPS.some((s) => settings.keymap.find(name.slice(6), false)?.command.id === s);
  const bound = settings.keymap.find(extend ? name.slice(6) : name, event.getModifierState("CapsLock"));
  if (!bound) return false;
  if (bound.command.id === "zoom" && session.place.view !== "grid") {
    if (!event.repeat) {
      zoomDown = performance.now();
      parts.viewer?.toggleZoom();
    }
    return true;
  }
  if (event.repeat && !STEPS.includes(bound.command.id) && !bound.advance) return true;
  run(bound.command.id, bound.advance, extend);
  return true;
}

/** The end of a held zoom goes back. */
export function keyUp(event: KeyboardEvent): void {
  const name = keyName(event);
  if (!name || zoomDown === 0 || settings.keymap.find(name, false)?.command.id !== "zoom") return;
  if (performance.now() - zoomDown > HOLD_MS) parts.viewer?.toggleZoom();
  zoomDown = 0;
}

/** On a clip J K L are back, pause, play; with Shift a frame. */
function videoKey(video: HTMLVideoElement, name: string): boolean {
  const frame = 1 / 25;
  switch (name) {
    case "Space":
    case "K":
      if (video.paused && name === "Space") void video.play();
      else video.pause();
      return true;
    case "L":
      video.playbackRate = video.paused ? 1 : Math.min(8, video.playbackRate * 2);
      void video.play();
      return true;
    case "J":
      video.pause();
      video.currentTime = Math.max(0, video.currentTime - 1);
      return true;
    case "Shift+J":
    case "Shift+L":
      video.pause();
      video.currentTime += name === "Shift+L" ? frame : -frame;
      return true;
    default:
      return false;
  }
}
