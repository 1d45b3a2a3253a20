import type { Clock } from '../../clock.js';
import { HANGS_MS } from '../../hangs.js';

/** How long a run lasts at most before the flush of its record begins, in milliseconds. Most runs are over by then. */
const LATEST_MS = 20;

/**
 * The flush of a record that some runs share. Begins after `LATEST_MS`, or as soon as one of the runs needs it. While all of the
 * runs are being settled it is put off, but not behind settlements that hang. If all runs are over before that, there is no flush:
 * their settlements make the record durable. Usually a record needs no statement and no commit of its own.
 */
export class LazyFlush {
  /** Resolves when the record is durable, or no longer needs to be. Rejects if the flush does. */
  readonly done: Promise<void>;
  readonly #clock: Clock;
  readonly #decide: (isNeeded: boolean) => void;
  #stopTimer = (): void => {};
  #runs = 0;
  /** Of these, how many are not being settled. */
  #going = 0;

  constructor(clock: Clock, flush: () => Promise<void>) {
    this.#clock = clock;
    const isNeeded = Promise.withResolvers<boolean>();
    this.#decide = isNeeded.resolve;
    this.done = isNeeded.promise.then((needed) => (needed ? flush() : undefined));
    // Not every run waits for the flush.
    this.done.catch(() => {});
  }

  add(): void {
    this.#runs += 1;
    this.#going += 1;
  }

  /** The record is visible. */
  begin(): void {
    if (this.#runs > 0) this.#stopTimer = this.#clock.after(LATEST_MS, () => this.#late());
  }

  now(): void {
    this.#end(true);
  }

  /** The settlement of one of the runs is about to be sent. */
  runSettles(): void {
    this.#going -= 1;
  }

  runEnds(): void {
    this.#runs -= 1;
    if (this.#runs === 0) this.#end(false);
  }

  #late(): void {
    if (this.#going > 0) this.now();
    else this.#stopTimer = this.#clock.after(HANGS_MS.statement, () => this.now());
  }

  #end(isNeeded: boolean): void {
    this.#stopTimer();
    this.#decide(isNeeded);
  }
}
