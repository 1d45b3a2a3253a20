import type { Clock } from '../../clock.js';

/** How long a run goes on at most until the flush of its record begins, in milliseconds: most runs are over by then. */
const LATEST_MS = 20;

/**
 * The flush of a record that some runs share. It begins after a while, or as soon as one of the runs needs it. When all runs are over
 * first, there is none: their settlements bring the record to the disk. A flush for each record was a statement and a
 * commit more.
 */
export class LazyFlush {
  /** Resolves when the record is on the disk, or need not come there any more. Rejects as the flush does. */
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
    // Not every run waits for it.
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
