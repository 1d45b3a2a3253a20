import type { Enqueued } from '@rowlock/core';
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
  type NewJob,
  type NewPause,
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
import type { Context } from '../context.js';
import { change, query } from '../query.js';
import {
  type LimitSettingRow,
  type PauseRow,
  toLimitSetting,
  toPauseView,
  toWorkerView,
  type WorkerViewRow,
} from '../rows.js';
import { findDuplicates } from './duplicates.js';
import { enqueue } from './enqueue.js';
import type { InTransaction } from './in-transaction.js';
import { jobRuns } from './job-runs.js';
import { move } from './move.js';
import { MysqlJoinableSchedules } from './schedules.js';
import type { Scope } from './scope.js';
import { takenKey } from './taken-key.js';
import { update } from './update.js';
import { countJobs, listJobIds, listJobs } from './views.js';

/** The verbs that stand alone, on the pool or in a caller's transaction. */
export class MysqlStore implements Store {
  protected readonly context: Context;
  protected readonly scope: Scope;
  /** Runs statements in one transaction. A caller's transaction is used when there is one. */
  protected readonly inTransaction: InTransaction;
  readonly schedules: JoinableSchedules;

  constructor(context: Context, scope: Scope, inTransaction: InTransaction = async (work) => work(scope.on)) {
    this.context = context;
    this.scope = scope;
    this.inTransaction = inTransaction;
    this.schedules = new MysqlJoinableSchedules(context.sql, scope.on);
  }

  enqueue(
    jobs: readonly NewJob[],
    _wakeUps?: readonly WakeUp[],
    _waitMs?: number,
  ): Promise<readonly Enqueued[]> {
    return enqueue(this.context, this.scope, this.inTransaction, jobs);
  }

  async uniqueJobs(kind: string, keys: readonly string[]): Promise<readonly (string | null)[]> {
    const taken = keys.map((key) => takenKey(kind, key));
    const found = await findDuplicates(this.context.sql, this.scope, taken);
    return taken.map((key) => found.get(key) ?? null);
  }

  list(filter: JobFilter, page: Page): Promise<JobPage> {
    return listJobs(this.scope.on, this.context, filter, page);
  }

  listIds(filter: JobFilter, page: Page): Promise<JobIdPage> {
    return listJobIds(this.scope.on, this.context, filter, page);
  }

  count(filter: JobFilter, page: Page): Promise<JobCount> {
    return countJobs(this.scope.on, this.context, filter, page);
  }

  jobRuns(publicId: string): Promise<readonly RunView[] | undefined> {
    return jobRuns(this.scope.on, this.context, publicId);
  }

  async move(event: ClientEvent, publicId: string, redrives: number | null = null): Promise<Moved> {
    const moves = { event, publicIds: [publicId], redrives };
    const [moved] = await move(this.scope.on, this.context.sql, this.inTransaction, moves);
    return moved ?? { outcome: 'missing' };
  }

  moveAll(event: ClientEvent, publicIds: readonly string[], _waitMs?: number): Promise<readonly Moved[]> {
    const moves = { event, publicIds, redrives: null };
    return move(this.scope.on, this.context.sql, this.inTransaction, moves);
  }

  update(publicId: string, change: JobUpdate, _waitMs?: number): Promise<Updated> {
    return this.updateOne(publicId, change, false);
  }

  /** @param waits Whether to wait for the job's lock. */
  updateOne(publicId: string, change: JobUpdate, waits: boolean): Promise<Updated> {
    return update(this.scope.on, this.context.sql, this.inTransaction, publicId, change, waits);
  }

  async notify(wakeUps: readonly WakeUp[]): Promise<void> {
    for (const wakeUp of wakeUps)
      await change(this.scope.on, this.context.sql.ring, [JSON.stringify(wakeUp)]);
  }

  async setLimit(name: string, numbers: LimitNumbers | null, by: string): Promise<void> {
    const { sql } = this.context;
    if (numbers === null) await change(this.scope.on, sql.unsetLimit, [name]);
    else {
      const { max = null, starts = null, perMs = null, burst = null } = numbers;
      await change(this.scope.on, sql.setLimit, [name, max, starts, perMs, burst, by]);
    }
    await this.notify([{ limit: name }]);
  }

  async limits(): Promise<readonly LimitSetting[]> {
    return (await query<LimitSettingRow>(this.scope.on, this.context.sql.limits)).map(toLimitSetting);
  }

  async pause({ scope, name, until, reason, by }: NewPause, mode: PauseMode = 'replace'): Promise<void> {
    const { sql } = this.context;
    const values = [scope, name, until === null ? null : until.getTime(), reason, by];
    await change(this.scope.on, mode === 'extend' ? sql.extendPause : sql.pause, values);
    await this.notify([wakeUpFor({ scope, name })]);
  }

  async resume(target: PauseTarget): Promise<void> {
    await change(this.scope.on, this.context.sql.resume, [target.scope, target.name]);
    await this.notify([wakeUpFor(target)]);
  }

  async pauses(): Promise<readonly PauseView[]> {
    return (await query<PauseRow>(this.scope.on, this.context.sql.pauses)).map(toPauseView);
  }

  async workers(): Promise<readonly WorkerView[]> {
    const { sql, lockPrefix } = this.context;
    const rows = await query<WorkerViewRow>(this.scope.on, sql.workers, [lockPrefix, lockPrefix]);
    rows.sort((a, b) => Number(b.started_at) - Number(a.started_at) || Number(a.id) - Number(b.id));
    return rows.map(toWorkerView);
  }
}
