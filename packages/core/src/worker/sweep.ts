import type { Line } from '../driver/driver.js';
import type { Job } from '../job/job.js';

/** Before every job: the lowest priority, and no id is as low as 0. */
const START: Line = { priority: -32_768, id: 0n };

/** One pass through a queue, in the order of priority and id. */
export class Sweep {
  /** The line in the sand: the last place this pass has looked at. */
  line = START;
  /** Keys found busy: for the rest of this pass their jobs are passed over. */
  readonly busy = new Set<string>();
  worked = false;
  skipped = false;

  constructor(readonly queue: string) {}

  /** Moves the line to a job that has been looked at. */
  moveLine({ priority, id }: Job): void {
    this.line = { priority, id };
  }

  /** Somebody else has the job's entity. */
  skip({ key }: Job): void {
    this.skipped = true;
    if (key !== null) this.busy.add(key);
  }
}
