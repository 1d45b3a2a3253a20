import type { Driver, RunStart, RunStarted } from '../driver/driver.js';
import type { JobId } from '../job/job.js';

/** What was known of these runs' jobs before; jobs that had no run are not in it. */
export type EarlierRuns = ReadonlyMap<JobId, RunStarted>;

/** The records of some runs, on their way. */
export interface RunRecord {
  /**
   * What was known of their jobs before. Resolves when nothing is left to do but the commit, which comes whatever becomes of this
   * process: the handlers may begin.
   */
  readonly written: Promise<EarlierRuns>;
  /** Resolves when everybody sees them. Until then nothing that the handlers do in the database may take effect. */
  readonly committed: Promise<void>;
}

/** Runs whose records are to be written together. */
interface Gathered extends RunRecord {
  readonly runs: RunStart[];
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

  /** Both promises of the record reject with a `DriverError` when it cannot be written. */
  start(run: RunStart): RunRecord {
    this.#next ??= this.#gather();
    this.#next.runs.push(run);
    return this.#next;
  }

  #gather(): Gathered {
    const runs: RunStart[] = [];
    let tell = (_: readonly RunStarted[]): void => {};
    const ahead = new Promise<readonly RunStarted[]>((resolve) => {
      tell = resolve;
    });
    const writing = this.#writing.then(() => {
      this.#next = null;
      return this.#driver.startRuns(runs, tell);
    });
    const committed = writing.then(() => {});
    // Who is told so by `written` need not ask again.
    this.#writing = committed.catch(() => {});
    const written = Promise.race([ahead, writing]);
    return { runs, committed, written: written.then((rows) => new Map(rows.map((row) => [row.id, row]))) };
  }
}
