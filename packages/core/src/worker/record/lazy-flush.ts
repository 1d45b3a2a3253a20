import type { Clock } from '../../clock.js';

/** How long a run lasts at most before the flush of its record begins, in milliseconds. Most runs are over by then. */
const LATEST_MS = 20;

/**
 * The flush of a record that some runs share. Begins after `LATEST_MS`, or as soon as one of the runs needs it. If all
 * runs are over before that, there is no flush: their settlements make the record durable. Usually a record needs no
 * statement and no commit of its own.
 */
export class LazyFlush {
  /** Resolves when the record is durable, or no longer needs to be. Rejects if the flush does. */
  readonly done: Promise<void>;
  readonly #clock: Clock;
  #decide = (_: boolean): void => {};
  #stopTimer = (): void => {};
  #runs = 0;

  constructor(clock: Clock, flush: () => Promise<void>) {
    this.#clock = clock;
    const isNeeded = new Promise<boolean>((resolve) => {
      this.#decide = resolve;
    });
    this.done = isNeeded.then((needed) => (needed ? flush() : undefined));
    // Not every run waits for the flush.
    this.done.catch(() => {});
  }

  /** One more run shares the record. */
  add(): void {
    this.#runs += 1;
  }

  /** The record is visible. */
  begin(): void {
    if (this.#runs > 0) this.#stopTimer = this.#clock.after(LATEST_MS, () => this.now());
  }

  now(): void {
    this.#end(true);
  }

  /** One of the runs is over. */
  runEnds(): void {
    this.#runs -= 1;
    if (this.#runs === 0) this.#end(false);
  }

  #end(isNeeded: boolean): void {
    this.#stopTimer();
    this.#decide(isNeeded);
  }
}
