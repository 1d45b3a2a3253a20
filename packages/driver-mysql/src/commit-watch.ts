/** Pauses between two looks, in milliseconds. The last repeats. */
const LOOK_MS = [1, 2, 4, 8, 15, 30, 60, 120, 250];

/** A transaction that lasts longer is left to the workers' own looks. */
const LONGEST_MS = 30_000;

/**
 * Does something once what a caller's transaction wrote is seen from outside, which is when it was committed. MySQL
 * tells nobody of a commit, so this looks now and then, and not for ever: the transaction may be rolled back.
 */
export class CommitWatch {
  readonly #timers = new Set<NodeJS.Timeout>();
  #stopped = false;

  /** Errors end the watch: workers find what they were to be told of by themselves. */
  watch(seen: () => Promise<boolean>, then: () => Promise<void>): void {
    const until = performance.now() + LONGEST_MS;
    const look = async (turn: number): Promise<void> => {
      if (this.#stopped || performance.now() > until) return;
      if (await seen()) return then();
      this.#later(
        LOOK_MS[Math.min(turn, LOOK_MS.length - 1)] ?? 0,
        () => void look(turn + 1).catch(() => {}),
      );
    };
    this.#later(0, () => void look(0).catch(() => {}));
  }

  stop(): void {
    this.#stopped = true;
    for (const timer of this.#timers) clearTimeout(timer);
  }

  #later(ms: number, callback: () => void): void {
    const timer = setTimeout(() => {
      this.#timers.delete(timer);
      callback();
    }, ms);
    timer.unref();
    this.#timers.add(timer);
  }
}
