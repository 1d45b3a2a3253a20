/**
 * The time of all spans of one run, in milliseconds since 1970: the wall clock at its begin, and what has passed since. A step of
 * the wall clock during the run moves none of them.
 */
export class RunClock {
  readonly #beganAt = Date.now();
  readonly #since = performance.now();

  now(): number {
    return this.#beganAt + performance.now() - this.#since;
  }
}
