import type { Enqueued, State } from '@rowlock/core';
import type {
  ClientEvent,
  JobFilter,
  JobPage,
  Moved,
  NewJob,
  Page,
  Store,
  WakeUp,
  WorkerView,
} from '@rowlock/core/driver';
import type { Context } from '../context.js';
import { change, query } from '../query.js';
import { type JobViewRow, toJobView, toWorkerView, type WorkerViewRow } from '../rows.js';
import { conditions } from './conditions.js';
import { enqueue } from './enqueue.js';
import type { InTransaction } from './in-transaction.js';
import { move } from './move.js';
import type { Scope } from './scope.js';

/** The verbs that stand alone, on the pool or in a caller's transaction. */
export class MysqlStore implements Store {
  protected readonly context: Context;
  protected readonly scope: Scope;
  /** In a caller's transaction all statements are in one already. */
  protected readonly inTransaction: InTransaction;

  constructor(context: Context, scope: Scope, inTransaction: InTransaction = async (work) => work(scope.on)) {
    this.context = context;
    this.scope = scope;
    this.inTransaction = inTransaction;
  }

  enqueue(jobs: readonly NewJob[], _wakeUps?: readonly WakeUp[]): Promise<readonly Enqueued[]> {
    return enqueue(this.context, this.scope, this.inTransaction, jobs);
  }

  async list(filter: JobFilter, { limit, before }: Page): Promise<JobPage> {
    const { where, values } = conditions({ ...filter, before });
    const { sql, lockPrefix } = this.context;
    const prefixes = [lockPrefix, lockPrefix, lockPrefix, lockPrefix];
    const rows = await query<JobViewRow>(this.scope.on, sql.list(where), [...prefixes, ...values, limit + 1]);
    const page = rows.slice(0, limit);
    const last = page.at(-1);
    return { jobs: page.map(toJobView), next: rows.length > limit && last ? BigInt(last.id) : null };
  }

  async count(filter: JobFilter): Promise<Record<State, number>> {
    const { where, values } = conditions(filter);
    const text = this.context.sql.count(where);
    const rows = await query<{ status: State; jobs: number }>(this.scope.on, text, values);
    const counts: Record<State, number> = { new: 0, 'in-progress': 0, complete: 0, error: 0, cancelled: 0 };
    for (const row of rows) counts[row.status] = Number(row.jobs);
    return counts;
  }

  move(event: ClientEvent, publicId: string, redrives: number | null = null): Promise<Moved> {
    return move(this.scope.on, this.context.sql, this.inTransaction, { event, publicId, redrives });
  }

  async notify(wakeUps: readonly WakeUp[]): Promise<void> {
    for (const wakeUp of wakeUps)
      await change(this.scope.on, this.context.sql.ring, [JSON.stringify(wakeUp)]);
  }

  async workers(): Promise<readonly WorkerView[]> {
    const { sql, lockPrefix } = this.context;
    const rows = await query<WorkerViewRow>(this.scope.on, sql.workers, [lockPrefix, lockPrefix]);
    return rows.map(toWorkerView);
  }
}
