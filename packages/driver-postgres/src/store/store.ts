import { DriverError, type Enqueued } from '@rowlock/core';
import {
  type ClientEvent,
  type JobCount,
  type JobFilter,
  type JobIdPage,
  type JobPage,
  type JobUpdate,
  type JoinableSchedules,
  type LimitNumbers,
  type LimitSetting,
  type Moved,
  NEVER,
  type NewJob,
  type NewPause,
  newPublicId,
  type Page,
  type PauseMode,
  type PauseTarget,
  type PauseView,
  type RunView,
  type Store,
  type Updated,
  type WakeUp,
  type WorkerView,
  wakeUpFor,
} from '@rowlock/core/driver';
import type { QueryResultRow } from 'pg';
import type { Batch } from '../connection/pipeline/send-ahead.js';
import { toText } from '../connection/pipeline/to-text.js';
import type { Context } from '../context.js';
import { answers, type Queryable, query } from '../query.js';
import {
  type LimitSettingRow,
  type PauseRow,
  toLimitSetting,
  toPauseView,
  toWorkerView,
  type WorkerRow,
} from '../rows.js';
import { follow } from './followers.js';
import { type GivenJob, newJobs } from './given.js';
import { jobRuns } from './job-runs.js';
import { move } from './move.js';
import { PostgresJoinableSchedules } from './schedules.js';
import { update } from './update.js';
import { countJobs, listJobIds, listJobs } from './views.js';

/** How often a unique key may change hands while a job that needs it is enqueued. */
const MOST_TRIES = 10;

/** The single-statement verbs, on the pool or in a caller's transaction. */
export class PostgresStore implements Store {
  /** The number of jobs that one statement inserts. While the server inserts them, the next ones are serialised. */
  protected readonly perStatement: number = 1_000;
  readonly schedules: JoinableSchedules;

  /** @param withoutTimeout For statements that may read much, and take long. */
  constructor(
    protected readonly context: Context,
    protected readonly on: Queryable,
    private readonly withoutTimeout: Queryable = on,
  ) {
    this.schedules = new PostgresJoinableSchedules(context, on);
  }

  async enqueue(
    jobs: readonly NewJob[],
    wakeUps: readonly WakeUp[] = [],
    waitMs?: number,
  ): Promise<readonly Enqueued[]> {
    const follows = jobs.some(({ after }) => after !== undefined);
    const isAtomic = !follows && (jobs.length <= 1 || jobs.every(({ unique }) => unique === null));
    // Otherwise some jobs would be inserted when the look-up of the others' keys fails, and the caller would count all as refused.
    return isAtomic
      ? this.#enqueue(jobs, wakeUps)
      : this.atomically((store) => store.#enqueue(jobs, wakeUps), waitMs);
  }

  async #enqueue(jobs: readonly NewJob[], wakeUps: readonly WakeUp[]): Promise<readonly Enqueued[]> {
    const outcomes = new Array<Enqueued>(jobs.length);
    let open: Place[] = jobs.map((job, place) => ({ job, place, publicId: newPublicId() }));
    if (jobs.some(({ after }) => after !== undefined)) open = await this.#follow(open);
    for (let tries = 0; open.length > 0; tries++) {
      if (tries === MOST_TRIES)
        throw new DriverError(
          'SerializationFailure',
          'A unique key passed from job to job, too often for this enqueue: try again.',
        );
      open = await this.#insert(open, outcomes, wakeUps);
      // The holder of the key may be settled before its look-up. The key is then free, so the insert is tried again.
      open = await this.#findDuplicates(open, outcomes);
    }
    return outcomes;
  }

  /** Jobs that have to wait for others are inserted with a time that does not come. */
  async #follow(open: Place[]): Promise<Place[]> {
    const waiting = await follow(this.on, this.context.sql, open);
    return open.map((each) =>
      waiting.has(each.publicId) ? { ...each, job: { ...each.job, available: { at: NEVER } } } : each,
    );
  }

  async #insert(open: Place[], outcomes: Enqueued[], wakeUps: readonly WakeUp[]): Promise<Place[]> {
    const unique = open.some(({ job }) => job.unique !== null);
    const wakes = wakeUps.length > 0;
    const calls = wakes ? [this.context.channel, texts(wakeUps)] : [];
    const rows = await this.sendAll<{ answer: string }>(
      pieces(open, this.perStatement).map(
        (some) => () =>
          newJobs(some).map((given) => ({
            text: this.context.sql.enqueue({ given: given.text, unique, wakes }),
            values: [...given.values, ...calls],
          })),
      ),
    );
    const inserted = unique ? new Set(rows.map(({ answer }) => answer)) : undefined;
    return open.filter(({ place, publicId }) => {
      if (inserted?.has(publicId) === false) return true;
      outcomes[place] = { outcome: 'enqueued', publicId };
      return false;
    });
  }

  async #findDuplicates(open: Place[], outcomes: Enqueued[]): Promise<Place[]> {
    if (open.length === 0) return open;
    const rows = await answers<readonly [place: number, publicId: string]>(
      this.on,
      this.context.sql.findDuplicates,
      [toText(open.map(({ job }) => job.kind)), toText(open.map(({ job }) => job.unique?.key ?? null))],
    );
    const found = new Map(rows.map(([place, publicId]) => [place - 1, publicId]));
    return open.filter(({ place }, index) => {
      const publicId = found.get(index);
      if (publicId === undefined) return true;
      outcomes[place] = { outcome: 'duplicate', publicId };
      return false;
    });
  }

  async uniqueJobs(kind: string, keys: readonly string[]): Promise<readonly (string | null)[]> {
    const rows = await answers<readonly [place: number, publicId: string]>(
      this.on,
      this.context.sql.findDuplicates,
      [toText(keys.map(() => kind)), toText(keys)],
    );
    const found = new Map(rows);
    return keys.map((_, index) => found.get(index + 1) ?? null);
  }

  list(filter: JobFilter, page: Page): Promise<JobPage> {
    // An index finds single jobs.
    const on = filter.publicIds === undefined ? this.withoutTimeout : this.on;
    return listJobs(on, this.context, filter, page);
  }

  listIds(filter: JobFilter, page: Page): Promise<JobIdPage> {
    return listJobIds(this.withoutTimeout, this.context, filter, page);
  }

  count(filter: JobFilter, page: Page): Promise<JobCount> {
    return countJobs(this.withoutTimeout, this.context, filter, page);
  }

  jobRuns(publicId: string): Promise<readonly RunView[] | undefined> {
    return jobRuns(this.on, this.context, publicId);
  }

  async move(event: ClientEvent, publicId: string, redrives: number | null = null): Promise<Moved> {
    const [moved] = await move(this.on, this.context.sql, { event, publicIds: [publicId], redrives });
    return moved ?? { outcome: 'missing' };
  }

  moveAll(event: ClientEvent, publicIds: readonly string[], waitMs?: number): Promise<readonly Moved[]> {
    const moves = { event, publicIds, redrives: null };
    if (waitMs === undefined) return move(this.on, this.context.sql, moves);
    return this.atomically((store) => move(store.on, this.context.sql, moves), waitMs);
  }

  update(publicId: string, change: JobUpdate, waitMs?: number): Promise<Updated> {
    if (waitMs === undefined) return update(this.on, this.context.sql, publicId, change, false);
    return this.atomically((store) => update(store.on, this.context.sql, publicId, change, true), waitMs);
  }

  async notify(wakeUps: readonly WakeUp[]): Promise<void> {
    const { sql, channel } = this.context;
    await query(this.on, sql.notify, [channel, texts(wakeUps)]);
  }

  async setLimit(name: string, numbers: LimitNumbers | null, by: string): Promise<void> {
    const { sql, channel } = this.context;
    const values = [name, channel, texts([{ limit: name }])];
    if (numbers === null) await query(this.on, sql.unsetLimit, values);
    else {
      const { max, starts, perMs, burst } = numbers;
      const set = [max, starts, perMs, burst].map((number) => (number === undefined ? null : String(number)));
      await query(this.on, sql.setLimit, [...values, ...set, by]);
    }
  }

  async limits(): Promise<readonly LimitSetting[]> {
    return (await answers<LimitSettingRow>(this.on, this.context.sql.limits, [])).map(toLimitSetting);
  }

  async pause({ until, reason, by, ...target }: NewPause, mode: PauseMode = 'replace'): Promise<void> {
    const { sql } = this.context;
    const values = [...this.#changing(target), until?.toISOString() ?? null, reason, by];
    await query(this.on, mode === 'extend' ? sql.extendPause : sql.pause, values);
  }

  async resume(target: PauseTarget): Promise<void> {
    await query(this.on, this.context.sql.resume, this.#changing(target));
  }

  async pauses(): Promise<readonly PauseView[]> {
    return (await answers<PauseRow>(this.on, this.context.sql.pauses, [])).map(toPauseView);
  }

  #changing(target: PauseTarget): (string | null)[] {
    return [target.scope, target.name, this.context.channel, texts([wakeUpFor(target)])];
  }

  async workers(): Promise<readonly WorkerView[]> {
    const { sql, lockClass } = this.context;
    const rows = await query<WorkerRow>(this.on, sql.workers, [lockClass.unsigned]);
    return rows.map(toWorkerView);
  }

  /** Sends frequent statements. All of them take effect, or none. A caller's transaction is atomic anyway. */
  protected async sendAll<Row extends QueryResultRow>(batches: readonly Batch[]): Promise<Row[]> {
    const rows: Row[] = [];
    // All statements are built first, so that a refused value fails before anything is inserted.
    for (const { text, values } of batches.flatMap((batch) => batch()))
      rows.push(...(await query<Row>(this.on, text, values)));
    return rows;
  }

  /**
   * Works in one transaction. A caller's transaction is used when there is one.
   *
   * @param _waitMs How long a statement of the driver's own transaction may wait for a lock. Default: as long as for an answer.
   */
  protected atomically<Result>(
    work: (store: PostgresStore) => Promise<Result>,
    _waitMs?: number,
  ): Promise<Result> {
    return work(this);
  }
}

function pieces<Item>(items: readonly Item[], size: number): Item[][] {
  return Array.from({ length: Math.ceil(items.length / size) }, (_, place) =>
    items.slice(place * size, (place + 1) * size),
  );
}

/** Wake-ups as the payloads of notifications, in an array in Postgres's text format. */
export function texts(wakeUps: readonly WakeUp[]): string | null {
  return toText(wakeUps.map((wakeUp) => JSON.stringify(wakeUp)));
}

/** A job that is not enqueued yet, its id, and its position among the jobs that were passed. */
interface Place extends GivenJob {
  readonly place: number;
}
