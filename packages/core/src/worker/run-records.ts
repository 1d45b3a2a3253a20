import type { Driver, RunStart, RunStarted } from '../driver/driver.js';
import type { JobId } from '../job/job.js';

/** What was known of these runs' jobs before; jobs that had no run are not in it. */
export type EarlierRuns = ReadonlyMap<JobId, RunStarted>;

/** Runs whose records are to be written together. */
interface Gathered {
  readonly runs: RunStart[];
  readonly written: Promise<EarlierRuns>;
}

/**
 * Writes runs' records. While a write is on its way, those that come are gathered into the next one, so that the slots of a
 * process share statements and flushes.
 */
export class RunRecords {
  readonly #driver: Pick<Driver, 'startRuns'>;
  #next: Gathered | null = null;
  #writing: Promise<unknown> = Promise.resolve();

  constructor(driver: Pick<Driver, 'startRuns'>) {
    this.#driver = driver;
  }

  /** Resolves when the records are where everybody sees them. @throws DriverError */
  start(run: RunStart): Promise<EarlierRuns> {
    this.#next ??= this.#gather();
    this.#next.runs.push(run);
    return this.#next.written;
  }

  #gather(): Gathered {
    const runs: RunStart[] = [];
    const written = this.#writing.then(() => {
      this.#next = null;
      return this.#driver.startRuns(runs);
    });
    this.#writing = written.catch(() => {});
    return { runs, written: written.then((rows) => new Map(rows.map((row) => [row.id, row]))) };
  }
}
