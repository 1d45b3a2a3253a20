import type { Clock } from '../../clock.js';

/** So long a run goes on at most until its record is on its way to the disk, in milliseconds: most are over by then. */
const DUE_MS = 20;

/**
 * When the record of some runs is to come to the disk: soon, or as soon as one of them needs it, and not at all when they are over by
 * then, as it lies there before what has settled them. A flush for each was a statement and a commit more.
 */
export class DueFlush {
  /** Resolves with whether it is to come there still. */
  readonly due: Promise<boolean>;
  readonly #clock: Clock;
  #decide = (_: boolean): void => {};
  #stopTimer = (): void => {};
  #runs = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.due = new Promise((resolve) => {
      this.#decide = resolve;
    });
  }

  /** One more run has its record there. */
  add(): void {
    this.#runs += 1;
  }

  /** The record is seen by everybody. */
  begin(): void {
    if (this.#runs > 0) this.#stopTimer = this.#clock.after(DUE_MS, () => this.now());
  }

  now(): void {
    this.#end(true);
  }

  /** One of the runs is over, and settled on the disk or not to be settled. */
  runEnds(): void {
    this.#runs -= 1;
    if (this.#runs === 0) this.#end(false);
  }

  #end(isDue: boolean): void {
    this.#stopTimer();
    this.#decide(isDue);
  }
}
