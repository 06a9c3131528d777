// A photo's facts as a photographer reads them.

import type { Photo } from "./api";

export const fileName = (photo: Photo): string => photo.files[0]?.copies[0]?.path.split("/").pop() ?? photo.id;

export const takenText = (photo: Photo): string =>
  photo.taken ? photo.taken.replace("T", "  ").replace(/\.\d+$/, "") + (photo.taken_from === "file" ? "  (a guess)" : "") : "No date";

export function exposureLine(photo: Photo): string {
  return [
    photo.exposure && `${photo.exposure} s`,
    photo.aperture && `f/${round(photo.aperture)}`,
    photo.iso && `ISO ${photo.iso}${photo.iso_auto ? " auto" : ""}`,
    photo.focal_length && `${round(photo.focal_length)} mm`,
  ]
    .filter(Boolean)
    .join("   ");
}

const round = (n: number): string => String(Math.round(n * 10) / 10);

export function bytesText(bytes: number): string {
  const units = ["bytes", "kB", "MB", "GB", "TB"];
  let [n, unit] = [bytes, 0];
  while (n >= 1000 && unit < units.length - 1) {
    n /= 1000;
    unit++;
  }
  return `${unit === 0 ? n : n.toFixed(n < 10 ? 1 : 0)} ${units[unit]}`;
}

export function secondsText(seconds: number): string {
  const s = Math.round(seconds);
  if (s < 60) return `${s} s`;
  if (s < 3600) return `${Math.floor(s / 60)} min ${s % 60} s`;
  return `${Math.floor(s / 3600)} h ${Math.floor((s % 3600) / 60)} min`;
}

const PROVEN: Record<string, string> = {
  cold: "read back from the disk and compared",
  twice: "read back from the disk and compared, the card read twice",
  reread: "read back and compared, but the system may have answered from memory",
  stream: "written, not read back",
};

/** How the copies of an import were proven, in words. */
export const provenText = (verified: Record<string, number>): string =>
  Object.entries(verified)
    .filter(([, n]) => n > 0)
    .map(([how, n]) => `${n.toLocaleString()} ${PROVEN[how] ?? how}`)
    .join("; ");

const STATES: Record<string, string> = {
  duplicate: "already here",
  trashed: "in your trash",
  failed: "not copied",
};

/** What became of a file that was not simply copied. */
export const stateText = (state: string, reason: string | null): string =>
  `${STATES[state] ?? state}${reason ? `: ${reason}` : ""}`;
