/** The factor from a duration to its pause: the work takes a tenth of the time. */
const PAUSE = 9;

/**
 * When something that may take long is done again. The pause is nine times as long as it typically takes.
 * Typical is the shorter of the last two times, as a flush or a busy processor may have held up one of them.
 * The pause is at least as long as the last time.
 */
export class Pace {
  readonly #mostMs: number;
  readonly #freeMs: number;
  #lastMs = 0;
  #typicalMs = 0;
  #until = Number.NEGATIVE_INFINITY;

  /**
   * @param mostMs The longest pause, in milliseconds.
   * @param freeMs What needs no pause, in milliseconds: only the time beyond it counts.
   */
  constructor(mostMs: number, freeMs = 0) {
    this.#mostMs = mostMs;
    this.#freeMs = freeMs;
  }

  /** In milliseconds. 0 until it was done twice. */
  get typicalMs(): number {
    return this.#typicalMs;
  }

  took(ms: number, now: number): void {
    this.#typicalMs = Math.min(ms, this.#lastMs);
    this.#lastMs = ms;
    this.pause(ms - this.#freeMs, now);
    this.pauseAfter(this.#typicalMs, now);
  }

  /** Pauses as after work that typically takes this long. */
  pauseAfter(typicalMs: number, now: number): void {
    this.pause(PAUSE * (typicalMs - this.#freeMs), now);
  }

  pause(ms: number, now: number): void {
    this.#until = Math.max(this.#until, now + Math.min(ms, this.#mostMs));
  }

  leftMs(now: number): number {
    return Math.max(0, this.#until - now);
  }
}
