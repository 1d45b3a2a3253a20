import { setImmediate } from 'node:timers/promises';
import type { Clock } from '../../clock.js';
import type { Driver } from '../../driver/driver.js';
import type { EarlierRuns, RunStart } from '../../driver/run-record.js';
import type { JobId } from '../../job/job.js';
import { LazyFlush } from './lazy-flush.js';

/** What is known of these runs' jobs; jobs that had no run before are not in it. */
export type History = ReadonlyMap<JobId, EarlierRuns>;

/** The record that some runs share. Each promise rejects with a `DriverError` when it cannot be written. */
export interface RunRecord {
  /** Resolves when everybody sees the record, and a crash would be counted: the runs may begin. */
  readonly visible: Promise<History>;
  /** Resolves when the record is on the server's disk, or need not come there any more, as the runs are over. */
  readonly flushed: Promise<void>;
  /** Flushes the record now. Until then nothing that the handlers write in the database may be done. */
  durable(): Promise<void>;
  /** One of the runs is over. */
  end(): void;
}

/** How long a write waits at most for the one before it, and how long a flush may take, in milliseconds. After that a connection may be dead. */
const HANGS_MS = 200;

/**
 * How many turns of the event loop a write waits for claims that come along with it. Their answers are read one after the other, so
 * some microseconds spare a statement for a few runs each. Without, 24 slots had 0.92 of the rate, and eight workers with
 * five slots each 0.89.
 */
const TURNS = 2;

/** Runs whose records are to be written together. */
interface Gathered extends RunRecord {
  add(run: RunStart, confirm: () => Promise<void>): RunRecord;
}

/** A write that has been answered. */
interface Written {
  readonly history: History;
  readonly durable: () => Promise<void>;
}

/**
 * Writes runs' records. Those of several jobs are written each by itself. The others are gathered while a write is on its way, unless
 * that hangs, so that the slots of a process share statements and flushes.
 */
export class RunRecords {
  readonly #driver: Pick<Driver, 'startRuns' | 'endCrashed'>;
  readonly #clock: Clock;
  #next: Gathered | null = null;
  #writing: Promise<unknown> = Promise.resolve();
  /** Whether the last flush succeeded. Where commits hang, handlers that began ahead of a flush would do so again and again, uncounted. */
  #flushes = true;

  constructor(driver: Pick<Driver, 'startRuns' | 'endCrashed'>, clock: Clock) {
    this.#driver = driver;
    this.#clock = clock;
  }

  /** @param confirm Rejects unless the run's claim stands: a frozen worker may have lost it. */
  start(run: RunStart, confirm: () => Promise<void>): RunRecord {
    if (run.jobs.length > 1) return this.#record(Promise.resolve(true)).add(run, confirm);
    this.#next ??= this.#gather();
    return this.#next.add(run, confirm);
  }

  #gather(): Gathered {
    const turn = this.#turn().then(async (isOver) => {
      for (let turns = 0; turns < TURNS; turns++) await setImmediate();
      this.#next = null;
      return isOver;
    });
    const record = this.#record(turn);
    this.#writing = record.visible.catch(() => {});
    return record;
  }

  /** Resolves when the next write may begin, with whether the one before it is over. */
  #turn(): Promise<boolean> {
    return new Promise((resolve) => {
      const stopTimer = this.#clock.after(HANGS_MS, () => resolve(false));
      void this.#writing.then(() => {
        stopTimer();
        resolve(true);
      });
    });
  }

  /** @param turn Resolves when it may be written, until which runs are added, with whether the write before it is over. */
  #record(turn: Promise<boolean>): Gathered {
    const runs: RunStart[] = [];
    const confirms: (() => Promise<void>)[] = [];
    const written = turn.then(() => this.#write(runs, confirms));
    const flush = new LazyFlush(this.#clock, async () => this.#flush(await written));
    // Where the write fails, so does the flush.
    written.catch(() => flush.now());
    const durable = (): Promise<void> => {
      flush.now();
      return flush.done;
    };
    const visible = turn.then(async (isOver) => {
      const isAhead = isOver && this.#flushes;
      const { history } = await written;
      if (isAhead) flush.begin();
      else await durable();
      return history;
    });
    visible.catch(() => {});
    return {
      visible,
      flushed: flush.done,
      durable,
      end: () => flush.runEnds(),
      add(run, confirm) {
        runs.push(run);
        confirms.push(confirm);
        flush.add();
        return this;
      },
    };
  }

  /** Ends the runs that crashed before, and writes those that begin. What a claim that stands has found was there before it. */
  async #write(runs: readonly RunStart[], confirms: readonly (() => Promise<void>)[]): Promise<Written> {
    const jobs = runs.flatMap((run) => run.jobs);
    try {
      for (;;) {
        const { visible, durable } = this.#driver.startRuns(runs);
        const { earlier, unfinished } = await visible;
        if (unfinished.length === 0)
          return { history: new Map(earlier.map((known) => [known.id, known])), durable };
        await Promise.all(confirms.map((confirm) => confirm()));
        await this.#driver.endCrashed(unfinished, jobs);
      }
    } catch (error) {
      this.#flushes = false;
      throw error;
    }
  }

  /** A flush that hangs counts as one that has failed, until it has succeeded. */
  async #flush({ durable }: Written): Promise<void> {
    const stopTimer = this.#clock.after(HANGS_MS, () => {
      this.#flushes = false;
    });
    try {
      await durable();
      this.#flushes = true;
    } catch (error) {
      this.#flushes = false;
      throw error;
    } finally {
      stopTimer();
    }
  }
}
