/**
 * How long something takes that is done again and again: the shorter time of two in a row. One that took longer may have been held up, by a
 * flush of the disk or a busy processor, and says little of the next.
 */
export class UsualTime {
  #lastMs = 0;

  /** @returns how long it takes usually, in milliseconds, when it has taken so long now */
  took(ms: number): number {
    const usualMs = Math.min(ms, this.#lastMs);
    this.#lastMs = ms;
    return usualMs;
  }
}
