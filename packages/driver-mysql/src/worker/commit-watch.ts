import type { WakeUp } from '@rowlock/core/driver';

/** Pauses between two looks, in milliseconds. The last repeats. */
const LOOK_MS = [1, 2, 4, 8, 15, 30, 60, 120, 250];

/** A transaction that lasts longer is left to the workers' own looks. */
const LONGEST_MS = 30_000;

/** A ring that a caller's transaction has written. */
interface Pending {
  readonly wakeUp: WakeUp;
  /** Until when to look for it. */
  readonly until: number;
}

/**
 * Calls once what a caller's transaction wrote is seen from outside, which is when it was committed. MySQL tells nobody of a
 * commit, so this looks now and then, and not for ever: the transaction may be rolled back. One look is for all that is pending:
 * of 300 transactions that waited, each with looks of its own, there were 3,300 in a second.
 */
export class CommitWatch {
  readonly #find: (rings: readonly number[]) => Promise<readonly number[]>;
  readonly #call: (wakeUps: readonly WakeUp[]) => Promise<void>;
  readonly #pending = new Map<number, Pending>();
  #timer: NodeJS.Timeout | undefined;
  #looking = false;
  #looks = 0;
  #stopped = false;

  /**
   * @param find Says which of these rings are seen.
   * @param call Tells the workers. They find by themselves what they could not be told of.
   */
  constructor(
    find: (rings: readonly number[]) => Promise<readonly number[]>,
    call: (wakeUps: readonly WakeUp[]) => Promise<void>,
  ) {
    this.#find = find;
    this.#call = call;
  }

  watch(ring: number, wakeUp: WakeUp): void {
    this.#pending.set(ring, { wakeUp, until: performance.now() + LONGEST_MS });
    this.#looks = 0;
    this.#lookIn(0);
  }

  stop(): void {
    this.#stopped = true;
    clearTimeout(this.#timer);
  }

  #lookIn(ms: number): void {
    clearTimeout(this.#timer);
    if (this.#stopped || this.#looking) return;
    this.#timer = setTimeout(() => void this.#look(), ms);
    this.#timer.unref();
  }

  async #look(): Promise<void> {
    for (const [ring, { until }] of this.#pending) if (performance.now() > until) this.#pending.delete(ring);
    if (this.#pending.size === 0) return;
    this.#looking = true;
    const seen = await this.#find([...this.#pending.keys()]).catch(() => []);
    this.#looking = false;
    this.#lookIn(LOOK_MS[Math.min(this.#looks, LOOK_MS.length - 1)] ?? 0);
    this.#looks += 1;
    const wakeUps = new Map<string, WakeUp>();
    for (const ring of seen) {
      const found = this.#pending.get(ring);
      if (found !== undefined) wakeUps.set(JSON.stringify(found.wakeUp), found.wakeUp);
      this.#pending.delete(ring);
    }
    if (wakeUps.size > 0) await this.#call([...wakeUps.values()]).catch(() => {});
  }
}
