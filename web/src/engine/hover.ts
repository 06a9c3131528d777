// A clip under the pointer: its place in time follows the pointer across the tile.
//
// One video element for the whole grid, which goes where the pointer rests; a clip that the browser cannot play shows
// its picture as before.

const REST_MS = 140;

export class HoverClip {
  private readonly video = document.createElement("video");
  private readonly line = document.createElement("div");
  private timer = 0;
  private tile: HTMLElement | undefined;
  private share = 0;

  constructor() {
    this.video.className = "hover-clip";
    this.line.className = "hover-line";
    this.video.muted = true;
    this.video.preload = "auto";
    this.video.setAttribute("aria-hidden", "true");
    this.video.addEventListener("loadeddata", () => this.video.classList.add("ready"));
    this.video.addEventListener("loadedmetadata", () => this.seek());
    this.video.addEventListener("seeked", () => this.seek());
    this.video.addEventListener("error", () => this.leave());
  }

  /** The pointer is over a clip's tile, at this share of its width. */
  over(tile: HTMLElement, share: number, address: () => string): void {
    this.share = Math.min(0.999, Math.max(0, share));
    if (this.tile === tile) {
      this.line.style.left = `${this.share * 100}%`;
      this.seek();
      return;
    }
    this.leave();
    this.tile = tile;
    this.timer = window.setTimeout(() => {
      this.video.src = address();
      this.line.style.left = `${this.share * 100}%`;
      tile.append(this.video, this.line);
    }, REST_MS);
  }

  leave(): void {
    if (!this.tile) return;
    clearTimeout(this.timer);
    this.tile = undefined;
    this.video.classList.remove("ready");
    this.video.remove();
    this.line.remove();
    this.video.removeAttribute("src");
    this.video.load();
  }

  /** One seek at a time: the next begins where the pointer is when the last has ended. */
  private seek(): void {
    const { duration, seeking, currentTime } = this.video;
    if (seeking || !Number.isFinite(duration)) return;
    const to = this.share * duration;
    if (Math.abs(to - currentTime) > 0.04) this.video.currentTime = to;
  }
}
