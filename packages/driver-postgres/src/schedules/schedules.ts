import {
  type DueSchedules,
  despiteDeadlocks,
  type Firing,
  type FoundSchedules,
  firedOf,
  type JoinableSchedules,
  type NewSchedule,
  type ScheduleSource,
  type ScheduleStore,
  storableJson,
  storableText,
} from '@rowlock/core/driver';
import { toText } from '../connection/pipeline/to-text.js';
import type { Context } from '../context.js';
import { enqueue } from '../jobs/enqueue.js';
import type { Scope } from '../jobs/scope.js';
import { answers, type Queryable, query, textOrNull } from '../query.js';

/** A row, or the time alone. */
interface ScheduleRow {
  now: number;
  name: string | null;
  plan: unknown;
  fingerprint: string;
  source: ScheduleSource;
  next_at: number | null;
  tick_at: number | null;
  fired_at: number | null;
  skipped: number | bigint;
  skipped_tick: number | null;
  skipped_for: string | null;
  broken: string | null;
  broken_at: number | null;
  paused_at: number | null;
  paused_by: string | null;
  updated_at: number;
  updated_by: string;
}

/** Works in a transaction of its own. */
type InTransaction = <Result>(work: (scope: Scope) => Promise<Result>) => Promise<Result>;

/** The verbs that a caller's transaction may have. */
export class PostgresJoinableSchedules implements JoinableSchedules {
  protected readonly context: Context;
  protected readonly on: Queryable;

  constructor(context: Context, on: Queryable) {
    this.context = context;
    this.on = on;
  }

  async find(which: readonly string[] | { readonly beyond: string }): Promise<FoundSchedules> {
    const values = 'beyond' in which ? [null, which.beyond] : [toText(which), null];
    return found(await answers<ScheduleRow>(this.on, this.context.sql.schedules.findSchedules, values));
  }

  set(schedules: readonly NewSchedule[], by: string): Promise<void> {
    return setOn(this.on, this.context, schedules, by);
  }

  async pause(name: string, by: string): Promise<boolean> {
    return this.#changes(this.context.sql.schedules.pauseSchedule, [name, by]);
  }

  async resume(name: string, fingerprint: string, nextAt: number | null): Promise<boolean> {
    return this.#changes(this.context.sql.schedules.resumeSchedule, [name, fingerprint, textOrNull(nextAt)]);
  }

  async remove(name: string): Promise<boolean> {
    return this.#changes(this.context.sql.schedules.removeSchedule, [name]);
  }

  async #changes(text: string, values: unknown[]): Promise<boolean> {
    return (await query(this.on, text, values)).length > 0;
  }
}

export class PostgresSchedules extends PostgresJoinableSchedules implements ScheduleStore {
  readonly #inTransaction: InTransaction;

  constructor(context: Context, on: Queryable, inTransaction: InTransaction) {
    super(context, on);
    this.#inTransaction = inTransaction;
  }

  async due(except: readonly string[], limit: number): Promise<DueSchedules> {
    const { dueSchedules } = this.context.sql.schedules;
    const rows = await query<ScheduleRow & { next_ms: number | null }>(this.on, dueSchedules, [
      except,
      limit,
    ]);
    return { ...found(rows), nextMs: rows[0]?.next_ms ?? null };
  }

  override set(schedules: readonly NewSchedule[], by: string): Promise<void> {
    return this.#inTransaction(({ on }) => setOn(on, this.context, schedules, by));
  }

  fire(firings: readonly Firing[]): Promise<readonly string[]> {
    return despiteDeadlocks(() =>
      this.#inTransaction(async (scope) => {
        const { lockDue, moveSchedules } = this.context.sql.schedules;
        const due = await query<{ name: string }>(scope.on, lockDue, [
          firings.map(({ name }) => name),
          firings.map(({ at }) => at),
          firings.map(({ fingerprint }) => fingerprint),
        ]);
        const names = due.map(({ name }) => name);
        const locked = firings.filter(({ name }) => names.includes(name));
        const jobs = locked.flatMap((firing) => firing.jobs);
        const wakeUps = locked.flatMap((firing) => firing.wakeUps);
        const fired = firedOf(locked, await enqueue(this.context, scope, jobs, wakeUps));
        await query(scope.on, moveSchedules, [
          fired.map(({ firing }) => firing.name),
          fired.map(({ firing }) => firing.nextAt),
          fired.map(({ firing }) => firing.tickAt),
          fired.map(({ fires }) => fires),
          fired.map(({ skippedFor }) => skippedFor),
        ]);
        return names;
      }),
    );
  }

  async noteBroken(
    { name, at, fingerprint }: Pick<Firing, 'name' | 'at' | 'fingerprint'>,
    why: string,
  ): Promise<void> {
    await query(this.on, this.context.sql.schedules.noteBroken, [name, fingerprint, at, why]);
  }
}

/** In the order of the names, so that two programs do not wait for each other. */
async function setOn(
  on: Queryable,
  { sql }: Context,
  schedules: readonly NewSchedule[],
  by: string,
): Promise<void> {
  const inOrder = schedules.toSorted((one, other) => (one.name < other.name ? -1 : 1));
  for (const { name, plan, fingerprint, source, nextAt, read } of inOrder) {
    const values = [storableText(name), storableJson(plan), fingerprint, source, textOrNull(nextAt), by];
    if (read === null) await query(on, sql.schedules.addSchedule, values);
    else {
      const asRead = [read.fingerprint, read.source, textOrNull(read.nextAt)];
      await query(on, sql.schedules.changeSchedule, [...values, ...asRead]);
    }
  }
}

function found(rows: readonly ScheduleRow[]): FoundSchedules {
  return {
    now: rows[0]?.now ?? 0,
    schedules: rows.flatMap(({ name, plan, fingerprint, source, ...row }) => {
      if (name === null) return [];
      return {
        name,
        plan,
        fingerprint,
        source,
        nextAt: row.next_at,
        tickAt: row.tick_at,
        firedAt: row.fired_at,
        skipped: Number(row.skipped),
        skippedTickAt: row.skipped_tick,
        skippedFor: row.skipped_for,
        broken: row.broken,
        brokenAt: row.broken_at,
        pausedAt: row.paused_at,
        pausedBy: row.paused_by,
        updatedAt: row.updated_at,
        updatedBy: row.updated_by,
      };
    }),
  };
}
