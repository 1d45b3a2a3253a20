import type { Line } from '../driver/driver.js';
import type { Job } from '../job/job.js';
import { type LowWater, START } from './low-water.js';

/** One pass through a queue, in the order of priority and id. */
export class Sweep {
  readonly #low: LowWater;
  /** Whether it looks at all jobs, and not only at those beyond where the worker has got to. */
  readonly isWhole: boolean;
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
  }

  /** A claim has taken so long, and come to this job at last, or to none. */
  claimed(last: Job | undefined, tookMs: number, now: number): void {
    this.#low.found(this.line, last && { priority: last.priority, id: last.id }, tookMs, now);
  }

  /**
   * Moves the line to where the worker has got to, so that this slot does not look at what the others have now: on MySQL, with four
   * slots, two claims in five were in vain. Not of a pass that is to look at all jobs, before its first look.
   */
  catchUp(): void {
    if (this.line !== START) this.line = this.#low.beyond(this.line);
  }

  /** Moves the line to a job that has been looked at. */
  moveLine({ priority, id }: Job): void {
    this.line = { priority, id };
  }

  /** Somebody else has the job's entity. */
  skip({ key }: Job): void {
    this.skipped = true;
    if (key !== null) this.busy.add(key);
  }

  /** Nothing more comes of it. */
  end(): void {
    if (this.line === START) this.#low.leave();
  }
}
