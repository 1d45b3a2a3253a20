import type { WakeUp } from '@rowlock/core/driver';

/** Pauses between two polls, in milliseconds. The last repeats. */
const POLL_MS = [1, 2, 4, 8, 15, 30, 60, 120, 250];

/** The longest watch, in milliseconds. The workers' own polls find the rings of a longer transaction. */
const LONGEST_MS = 30_000;

/** A ring that a caller's transaction has written. */
interface Pending {
  readonly wakeUp: WakeUp;
  /** The time until which to look for the ring. */
  readonly until: number;
}

/**
 * Wakes workers after the commit of a caller's transaction, when its rings are visible from outside. MySQL has no event for a commit,
 * so the watch polls. Each watch has an end, as the transaction may be rolled back. One poll is for all pending rings:
 * with a poll for each of 300 transactions there were 3,300 in a second.
 */
export class CommitWatch {
  readonly #find: (rings: readonly number[]) => Promise<readonly number[]>;
  readonly #wake: (wakeUps: readonly WakeUp[]) => Promise<void>;
  readonly #pending = new Map<number, Pending>();
  #timer: NodeJS.Timeout | undefined;
  #isPolling = false;
  #polls = 0;
  #stopped = false;

  /**
   * @param find Returns those of these rings that are visible.
   * @param wake Wakes the workers. After a failure their own polls find the rings.
   */
  constructor(
    find: (rings: readonly number[]) => Promise<readonly number[]>,
    wake: (wakeUps: readonly WakeUp[]) => Promise<void>,
  ) {
    this.#find = find;
    this.#wake = wake;
  }

  watch(ring: number, wakeUp: WakeUp): void {
    this.#pending.set(ring, { wakeUp, until: performance.now() + LONGEST_MS });
    this.#polls = 0;
    this.#pollIn(0);
  }

  stop(): void {
    this.#stopped = true;
    clearTimeout(this.#timer);
  }

  #pollIn(ms: number): void {
    clearTimeout(this.#timer);
    if (this.#stopped || this.#isPolling) return;
    this.#timer = setTimeout(() => void this.#poll(), ms);
    this.#timer.unref();
  }

  async #poll(): Promise<void> {
    for (const [ring, { until }] of this.#pending) if (performance.now() > until) this.#pending.delete(ring);
    if (this.#pending.size === 0) return;
    this.#isPolling = true;
    const visible = await this.#find([...this.#pending.keys()]).catch(() => []);
    this.#isPolling = false;
    this.#pollIn(POLL_MS[Math.min(this.#polls, POLL_MS.length - 1)] ?? 0);
    this.#polls += 1;
    const wakeUps = new Map<string, WakeUp>();
    for (const ring of visible) {
      const found = this.#pending.get(ring);
      if (found !== undefined) wakeUps.set(JSON.stringify(found.wakeUp), found.wakeUp);
      this.#pending.delete(ring);
    }
    if (wakeUps.size > 0) await this.#wake([...wakeUps.values()]).catch(() => {});
  }
}
