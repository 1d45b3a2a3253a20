import { setImmediate } from 'node:timers/promises';
import type { Clock } from '../../clock.js';
import type { Driver } from '../../driver/driver.js';
import type { EarlierRuns, RunStart } from '../../driver/run-record.js';
import type { JobId } from '../../job/job.js';
import { DueFlush } from './due-flush.js';

/** What was known of these runs' jobs before; jobs that had no run are not in it. */
export type EarlierRuns = ReadonlyMap<JobId, EarlierRuns>;

/** The records of some runs, on their way. Each promise rejects with a `DriverError` when they cannot be written. */
export interface RunRecord {
  /**
   * What was known of their jobs before. Resolves when everybody will see them, whatever becomes of this process: a run by itself
   * may begin.
   */
  readonly written: Promise<EarlierRuns>;
  /** Resolves when everybody sees them, and a crash would be counted by whoever comes next: the runs may be settled. */
  readonly seen: Promise<void>;
  /**
   * Resolves when they are on the server's disk, or need not come there any more, as the runs are over. Until then nothing that the
   * handlers ask for in the database may be done.
   */
  readonly flushed: Promise<void>;
  /** Has them come to the disk now. */
  flush(): void;
  /** One of the runs is over. */
  end(): void;
}

/**
 * How long a write waits at most for the one ahead, in milliseconds: the connection of one that takes longer may be dead, and the driver
 * waits for its answer much longer.
 */
const HANGS_MS = 200;

/**
 * So many turns of the event loop a write waits for claims that come along with it, which are read one after the other: some microseconds that
 * spare a statement for a few runs each. Without, 24 slots had 0.92 of the rate, and eight workers with five slots each 0.89.
 */
const TURNS = 2;

/** Runs whose records are to be written together. */
interface Gathered extends RunRecord {
  add(run: RunStart): RunRecord;
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
    if (run.jobs.length > 1) return this.#write(Promise.resolve(true)).add(run);
    this.#next ??= this.#gather();
    return this.#next.add(run);
  }

  #gather(): Gathered {
    const turn = this.#turn().then(async (ended) => {
      for (let turns = 0; turns < TURNS; turns++) await setImmediate();
      this.#next = null;
      return ended;
    });
    const record = this.#write(turn);
    this.#writing = record.seen.catch(() => {});
    return record;
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

  /** @param turn Resolves when it may begin, until which runs are added, with whether the one ahead is over. */
  #write(turn: Promise<boolean>): Gathered {
    const runs: RunStart[] = [];
    const flush = new DueFlush(this.#clock);
    let tell = (_: readonly EarlierRuns[]): void => {};
    const ahead = new Promise<readonly EarlierRuns[]>((resolve) => {
      tell = resolve;
    });
    let show = (): void => {};
    const shown = new Promise<void>((resolve) => {
      show = resolve;
    });
    const seen = (): void => {
      show();
      flush.begin();
    };
    const told = { written: tell, seen, due: flush.due };
    const writing = turn.then((ended) =>
      this.#driver.startRuns(runs, ended && this.#trusts ? told : undefined),
    );
    const flushed = this.#watched(writing, flush.due);
    const isSeen = Promise.race([shown, flushed]);
    const written = Promise.race([ahead, writing]).then((rows) => new Map(rows.map((row) => [row.id, row])));
    // Who is told so by one of them need not ask the others.
    for (const each of [written, isSeen, flushed]) each.catch(() => {});
    return {
      written,
      seen: isSeen,
      flushed,
      flush: () => flush.now(),
      end: () => flush.runEnds(),
      add(run) {
        runs.push(run);
        flush.add();
        return this;
      },
    };
  }

  /** One that is to come to the disk and hangs is trusted no more than one that has failed. One that need not come there tells nothing. */
  async #watched(writing: Promise<unknown>, due: Promise<boolean>): Promise<void> {
    let isSpared = false;
    let isOver = false;
    let stopTimer = (): void => {};
    void due.then((isDue) => {
      isSpared = !isDue;
      if (isDue && !isOver) stopTimer = this.#clock.after(HANGS_MS, () => this.#distrust());
    });
    try {
      await writing;
      if (!isSpared) this.#trusts = true;
    } catch (error) {
      this.#distrust();
      throw error;
    } finally {
      isOver = true;
      stopTimer();
    }
  }

  #distrust(): void {
    this.#trusts = false;
  }
}
