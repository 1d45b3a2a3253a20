/** Ends a session that idles between two statements for too long. It keeps no process alive. */
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

/** What is longer than a Node timer takes, about 25 days, is no limit. */
const LONGEST_TIMER_MS = 2 ** 31;
