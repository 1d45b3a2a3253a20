import type { Clock } from '../clock.js';
import type { Driver, RunStart, RunStarted } from '../driver/driver.js';
import type { JobId } from '../job/job.js';

/** What was known of these runs' jobs before; jobs that had no run are not in it. */
export type EarlierRuns = ReadonlyMap<JobId, RunStarted>;

/** The records of some runs, on their way. Each promise rejects with a `DriverError` when they cannot be written. */
export interface RunRecord {
  /**
   * What was known of their jobs before. Resolves when everybody will see them, whatever becomes of this process: a run by itself
   * may begin.
   */
  readonly written: Promise<EarlierRuns>;
  /** Resolves when everybody sees them, and a crash would be counted by whoever comes next: the runs may be settled. */
  readonly seen: Promise<void>;
  /** Resolves when they are on the server's disk. Until then nothing that the handlers ask for in the database may be done. */
  readonly flushed: Promise<void>;
}

/**
 * How long a write waits at most for the one ahead, in milliseconds: the connection of one that takes longer may be dead, and the driver
 * waits for its answer much longer.
 */
const HANGS_MS = 200;

/** Runs whose records are to be written together. */
interface Gathered extends RunRecord {
  readonly runs: RunStart[];
}

/**
 * Writes runs' records. Those of several jobs each by itself; of the others, while a write is on its way, and does not hang, those that
 * come are gathered into the next one, so that the slots of a process share statements and flushes.
 */
export class RunRecords {
  readonly #driver: Pick<Driver, 'startRuns'>;
  readonly #clock: Clock;
  #next: Gathered | null = null;
  #writing: Promise<unknown> = Promise.resolve();
  /**
   * Whether the last one that ended came to the disk. Where commits hang, a handler that begins ahead of one would do so again
   * and again, and nobody would count it.
   */
  #trusts = true;

  constructor(driver: Pick<Driver, 'startRuns'>, clock: Clock) {
    this.#driver = driver;
    this.#clock = clock;
  }

  start(run: RunStart): RunRecord {
    if (run.jobs.length > 1) return this.#write([run], Promise.resolve(true));
    this.#next ??= this.#gather();
    this.#next.runs.push(run);
    return this.#next;
  }

  #gather(): Gathered {
    const runs: RunStart[] = [];
    const turn = this.#turn().then((ended) => {
      this.#next = null;
      return ended;
    });
    const record = this.#write(runs, turn);
    this.#writing = record.flushed.catch(() => {});
    return { runs, ...record };
  }

  /** Resolves when the next write may begin, with whether the one ahead is over. */
  #turn(): Promise<boolean> {
    return new Promise((resolve) => {
      const stopTimer = this.#clock.after(HANGS_MS, () => resolve(false));
      void this.#writing.then(() => {
        stopTimer();
        resolve(true);
      });
    });
  }

  #write(runs: readonly RunStart[], turn: Promise<boolean>): RunRecord {
    let tell = (_: readonly RunStarted[]): void => {};
    const ahead = new Promise<readonly RunStarted[]>((resolve) => {
      tell = resolve;
    });
    let show = (): void => {};
    const shown = new Promise<void>((resolve) => {
      show = resolve;
    });
    const told = { written: tell, seen: show };
    const writing = turn.then((ended) =>
      this.#driver.startRuns(runs, ended && this.#trusts ? told : undefined),
    );
    const flushed = writing.then(
      () => {
        this.#trusts = true;
      },
      (error: unknown) => {
        this.#trusts = false;
        throw error;
      },
    );
    const seen = Promise.race([shown, flushed]);
    const written = Promise.race([ahead, writing]).then((rows) => new Map(rows.map((row) => [row.id, row])));
    // Who is told so by one of them need not ask the others.
    for (const each of [written, seen, flushed]) each.catch(() => {});
    return { written, seen, flushed };
  }
}
