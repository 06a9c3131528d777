// How well a picture is seen in a pane, from worst to best.

export const LEVELS = ["none", "thumbnail", "fit", "full"];

/** Levels that show a picture at least as well as this one. */
export const atLeast = (level) => LEVELS.slice(LEVELS.indexOf(level));
