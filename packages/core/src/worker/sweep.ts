import type { Line } from '../driver/driver.js';
import type { Job } from '../job/job.js';
import { type LowWater, START } from './low-water.js';

/** One pass through a queue, in the order of priority and id. */
export class Sweep {
  readonly #low: LowWater;
  /** Whether it looks at all jobs, and not only at those beyond where the worker has got to. */
  readonly isWhole: boolean;
  /** Whether it has not come yet to a job that can be run, of all that it is to look at. */
  #isLooking: boolean;
  #lookedMs = 0;
  /** The line in the sand: the last place this pass has looked at. */
  line: Line;
  /** Keys found busy: for the rest of this pass their jobs are passed over. */
  readonly busy = new Set<string>();
  worked = false;
  skipped = false;

  constructor(
    readonly queue: string,
    low: LowWater,
    now: number,
  ) {
    this.#low = low;
    this.line = low.begin(now);
    this.isWhole = this.line === START;
    this.#isLooking = this.isWhole;
  }

  /** A claim has taken so long, and come to this job at last, or to none. */
  claimed(last: Job | undefined, tookMs: number, now: number): void {
    if (this.#isLooking) {
      this.#lookedMs += tookMs;
      if (last === undefined) this.#endLook(undefined, now);
    } else if (last !== undefined) this.#low.reach(placeOf(last));
  }

  /** A claim has come to a job that can be run: what lay before it has been looked at, and was in the way. */
  found(job: Job, now: number): void {
    if (this.#isLooking) this.#endLook(placeOf(job), now);
  }

  /**
   * Moves the line to where the worker has got to, so that this slot does not look at what the others have now: on MySQL, with four
   * slots, two claims in five were in vain. Not of a pass that is to look at all jobs and has not yet.
   */
  catchUp(): void {
    if (!this.#isLooking) this.line = this.#low.beyond(this.line);
  }

  /** Moves the line to a job that has been looked at. */
  moveLine(job: Job): void {
    this.line = placeOf(job);
  }

  /** Somebody else has the job's entity. */
  skip({ key }: Job): void {
    this.skipped = true;
    if (key !== null) this.busy.add(key);
  }

  /** Nothing more comes of it. */
  end(): void {
    if (this.#isLooking) this.#low.leave();
  }

  #endLook(place: Line | undefined, now: number): void {
    this.#isLooking = false;
    this.#low.looked(place, this.#lookedMs, now);
  }
}

function placeOf({ priority, id }: Job): Line {
  return { priority, id };
}
