import { setImmediate } from 'node:timers/promises';
import type { Clock } from '../../clock.js';
import { mayBeOfOne } from '../../driver/apart.js';
import type { Uses } from '../../driver/driver.js';
import type { EarlierRuns, RunStart } from '../../driver/run-record.js';
import { HANGS_MS } from '../../hangs.js';
import type { JobId } from '../../job/job.js';
import { within } from '../time/within.js';
import { LazyFlush } from './lazy-flush.js';

/** The earlier runs of these runs' jobs. Jobs without an earlier run are not in the map. */
export type History = ReadonlyMap<JobId, EarlierRuns>;

/** The record that some runs share. Each promise rejects with a `DriverError` when the record cannot be written. */
export interface RunRecord {
  /** Resolves when the record is visible to all, and a crash would be counted: the runs may begin. */
  readonly visible: Promise<History>;
  /** Resolves when the record is durable, or no longer needs to be because the runs are over. */
  readonly flushed: Promise<void>;
  /** Flushes the record now. Until then no statement of the handlers may reach the database. */
  durable(): Promise<void>;
  /** The handlers of one of the runs are over, and its settlement is about to be sent. */
  settles(): void;
  end(): void;
}

/**
 * How many turns of the event loop a write waits for more claims. The answers of claims are read one after the other.
 * So some microseconds spare a statement for a few runs each. Without the wait, 24 slots had 0.92 of the rate, and
 * eight workers with five slots each 0.89.
 */
const TURNS = 2;

interface Gathered {
  readonly visible: Promise<History>;
  add(run: RunStart, confirm: () => Promise<void>): RunRecord;
}

interface Written {
  readonly history: History;
  readonly durable: () => Promise<void>;
}

/**
 * Writes runs' records. A run of several jobs has a write of its own. Runs of one job are gathered while a write is on
 * its way, so that the slots of a process share statements and flushes. A write that hangs is not waited for.
 */
export class RunRecords {
  readonly #driver: Uses<{ claims: 'startRuns' }>;
  readonly #clock: Clock;
  #next: Gathered | null = null;
  #writing: Promise<unknown> = Promise.resolve();
  /**
   * Whether the last flush succeeded. After a failure, handlers begin behind the flush. Otherwise, while commits hang,
   * handlers would begin again and again, uncounted.
   */
  #flushes = true;

  constructor(driver: Uses<{ claims: 'startRuns' }>, clock: Clock) {
    this.#driver = driver;
    this.#clock = clock;
  }

  /** @param confirm Rejects if the run's claim is lost: a frozen worker may have lost it. */
  start(run: RunStart, confirm: () => Promise<void>): RunRecord {
    if (run.jobs.length > 1) return this.#record(Promise.resolve(true)).add(run, confirm);
    this.#next ??= this.#gather();
    return this.#next.add(run, confirm);
  }

  #gather(): Gathered {
    const turn = within(this.#clock, HANGS_MS.statement, this.#writing).then(async (before) => {
      for (let turns = 0; turns < TURNS; turns++) await setImmediate();
      this.#next = null;
      return before !== null;
    });
    const record = this.#record(turn);
    this.#writing = record.visible.catch(() => {});
    return record;
  }

  /**
   * @param turn Resolves when the record may be written, with whether the write before it is over. Until then runs can
   * be added.
   */
  #record(turn: Promise<boolean>): Gathered {
    const runs: RunStart[] = [];
    const confirms: (() => Promise<void>)[] = [];
    const written = turn.then(() => this.#write(runs, confirms));
    const flush = new LazyFlush(this.#clock, async () => this.#flush(await written));
    // If the write fails, so does the flush.
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
    const [settles, end] = [() => flush.runSettles(), () => flush.runEnds()];
    const record: RunRecord = { visible, flushed: flush.done, durable, settles, end };
    return {
      visible,
      add: (run, confirm) => {
        runs.push(run);
        confirms.push(confirm);
        flush.add();
        return this.#orAlone(record, () => runs.length > 1, run, confirm);
      },
    };
  }

  /** If a write that runs share is refused, each has one of its own: the record of another one may be the cause, or its claim. */
  #orAlone(
    shared: RunRecord,
    isShared: () => boolean,
    run: RunStart,
    confirm: () => Promise<void>,
  ): RunRecord {
    let record = shared;
    const visible = shared.visible.catch((error: unknown) => {
      if (!isShared() || !mayBeOfOne(error)) throw error;
      record = this.#record(Promise.resolve(true)).add(run, confirm);
      return record.visible;
    });
    const through = (step: (of: RunRecord) => Promise<void>): Promise<void> =>
      step(shared).catch(async (error: unknown) => {
        await visible;
        if (record === shared) throw error;
        return step(record);
      });
    const flushed = through((of) => of.flushed);
    for (const each of [visible, flushed]) each.catch(() => {});
    const durable = (): Promise<void> => through((of) => of.durable());
    return { visible, flushed, durable, settles: () => record.settles(), end: () => record.end() };
  }

  /**
   * Ends the earlier runs that crashed, and writes the runs that begin. An unfinished record is older than the claim if
   * the claim still stands.
   */
  async #write(runs: readonly RunStart[], confirms: readonly (() => Promise<void>)[]): Promise<Written> {
    try {
      for (let crashed: readonly string[] = []; ; ) {
        const { visible, durable } = this.#driver.claims.startRuns(runs, crashed);
        const { earlier, unfinished } = await visible;
        if (unfinished.length === 0)
          return { history: new Map(earlier.map((known) => [known.id, known])), durable };
        await Promise.all(confirms.map((confirm) => confirm()));
        crashed = unfinished;
      }
    } catch (error) {
      this.#flushes = false;
      throw error;
    }
  }

  /** A flush that hangs counts as failed until it succeeds. */
  async #flush({ durable }: Written): Promise<void> {
    const stopTimer = this.#clock.after(HANGS_MS.statement, () => {
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
