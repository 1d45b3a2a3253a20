/** Ends a session that is idle between two statements for too long. The timer keeps no process alive. */
export class IdleLimit {
  readonly #ms: number;
  readonly #onIdle: () => void;
  #timer: NodeJS.Timeout | undefined;

  /** @param ms Infinity for no limit. */
  constructor(ms: number, onIdle: () => void) {
    this.#ms = ms;
    this.#onIdle = onIdle;
    this.start();
  }

  start(): void {
    this.stop();
    if (this.#ms < LONGEST_TIMER_MS) this.#timer = setTimeout(this.#onIdle, this.#ms).unref();
  }

  stop(): void {
    clearTimeout(this.#timer);
  }
}

/** Longer delays than those of a Node timer, about 25 days, count as no limit. */
const LONGEST_TIMER_MS = 2 ** 31;
