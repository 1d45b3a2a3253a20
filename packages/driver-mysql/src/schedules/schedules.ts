import {
  type DueSchedules,
  despiteDeadlocks,
  type Fired,
  type Firing,
  type FoundSchedules,
  firedOf,
  type JoinableSchedules,
  type NewSchedule,
  type ScheduleSource,
  type ScheduleStore,
  storableJson,
  storableText,
  type WakeUp,
} from '@rowlock/core/driver';
import { enqueueWithin } from '../jobs/enqueue.js';
import type { InTransaction } from '../jobs/in-transaction.js';
import { isThere } from '../jobs/is-there.js';
import type { Scope } from '../jobs/scope.js';
import { change, type MysqlTransaction, query, type Value } from '../query.js';
import type { Statements } from '../statements.js';
import { list } from '../values/list.js';

/** A row, or the time alone. */
interface ScheduleRow {
  now: string;
  name: string | null;
  plan: string;
  fingerprint: string;
  source: ScheduleSource;
  next_at: string | null;
  tick_at: string | null;
  fired_at: string | null;
  skipped: string;
  skipped_tick: string | null;
  skipped_for: string | null;
  broken: string | null;
  broken_at: string | null;
  paused_at: string | null;
  paused_by: string | null;
  updated_at: string;
  updated_by: string;
}

/** The verbs that a caller's transaction may have. */
export class MysqlJoinableSchedules implements JoinableSchedules {
  protected readonly sql: Statements;
  protected readonly scope: Scope;

  constructor(sql: Statements, scope: Scope) {
    this.sql = sql;
    this.scope = scope;
  }

  async find(which: readonly string[] | { readonly beyond: string }): Promise<FoundSchedules> {
    const {
      sql,
      scope: { on },
    } = this;
    if ('beyond' in which)
      return found(await query<ScheduleRow>(on, sql.schedules.findSchedules, [which.beyond]));
    const wanted = list(which);
    return found(
      await query<ScheduleRow>(on, sql.schedules.findNamedSchedules(wanted.places), wanted.values),
    );
  }

  set(schedules: readonly NewSchedule[], by: string): Promise<void> {
    return setOn(this.scope.on, this.sql, schedules, by);
  }

  async pause(name: string, by: string): Promise<boolean> {
    const { sql, scope } = this;
    if (!(await isThere(scope, sql.schedules.lockSchedule, [name]))) return false;
    const { rows } = await change(scope.on, sql.schedules.pauseSchedule, [by, name]);
    // A caller's connection may count only what has changed, as that of Sequelize does. A schedule that was paused before has not.
    if (rows > 0 || scope.on === scope.outside) return rows > 0;
    return (await query(scope.on, sql.schedules.lockSchedule, [name])).length > 0;
  }

  async resume(name: string, fingerprint: string, nextAt: number | null): Promise<boolean> {
    return this.#changes(name, this.sql.schedules.resumeSchedule, [nextAt, name, fingerprint]);
  }

  async remove(name: string): Promise<boolean> {
    return this.#changes(name, this.sql.schedules.removeSchedule, [name]);
  }

  async #changes(name: string, text: string, values: readonly Value[]): Promise<boolean> {
    const { sql, scope } = this;
    if (!(await isThere(scope, sql.schedules.lockSchedule, [name]))) return false;
    return (await change(scope.on, text, values)).rows > 0;
  }
}

interface SchedulesParts {
  readonly sql: Statements;
  readonly on: MysqlTransaction;
  readonly inTransaction: InTransaction;
  /** Wakes workers after a commit. */
  readonly wake: (wakeUps: readonly WakeUp[]) => void;
}

export class MysqlSchedules extends MysqlJoinableSchedules implements ScheduleStore {
  readonly #parts: SchedulesParts;

  constructor(parts: SchedulesParts) {
    super(parts.sql, { on: parts.on, outside: parts.on });
    this.#parts = parts;
  }

  async due(except: readonly string[], limit: number): Promise<DueSchedules> {
    const { sql, on } = this.#parts;
    const { places, values } = except.length === 0 ? { places: '', values: [] } : list(except);
    const rows = await query<ScheduleRow & { next_ms: string | null }>(
      on,
      sql.schedules.dueSchedules(places),
      [...values, limit],
    );
    const { now, schedules } = found(rows);
    const inOrder = schedules.toSorted((one, other) => (one.nextAt ?? 0) - (other.nextAt ?? 0));
    return { now, schedules: inOrder, nextMs: number(rows[0]?.next_ms ?? null) };
  }

  override async set(schedules: readonly NewSchedule[], by: string): Promise<void> {
    await despiteDeadlocks(() => this.#parts.inTransaction((tx) => setOn(tx, this.sql, schedules, by)));
  }

  async fire(firings: readonly Firing[]): Promise<readonly string[]> {
    const { sql, inTransaction, wake } = this.#parts;
    const fired = await despiteDeadlocks(() =>
      inTransaction(async (tx) => {
        const locked: Firing[] = [];
        for (const firing of firings) if (await isLocked(sql, tx, firing)) locked.push(firing);
        const jobs = locked.flatMap((firing) => firing.jobs);
        for (const each of firedOf(locked, await enqueueWithin(sql, tx, jobs))) await move(sql, tx, each);
        return locked;
      }),
    );
    wake(fired.flatMap(({ wakeUps }) => wakeUps));
    return fired.map(({ name }) => name);
  }

  async noteBroken(
    { name, at, fingerprint }: Pick<Firing, 'name' | 'at' | 'fingerprint'>,
    why: string,
  ): Promise<void> {
    const { sql, on } = this.#parts;
    await change(on, sql.schedules.noteBroken, [why, name, fingerprint, at]);
  }
}

/** In the order of the names, so that two programs do not wait for each other. */
async function setOn(
  tx: MysqlTransaction,
  sql: Statements,
  schedules: readonly NewSchedule[],
  by: string,
): Promise<void> {
  const inOrder = schedules.toSorted((one, other) => (one.name < other.name ? -1 : 1));
  for (const schedule of inOrder) await set(sql, tx, schedule, by);
}

async function set(sql: Statements, tx: MysqlTransaction, schedule: NewSchedule, by: string): Promise<void> {
  const { fingerprint, source, nextAt, read } = schedule;
  const name = storableText(schedule.name);
  const values = [storableJson(schedule.plan), fingerprint, source, nextAt, by];
  if (read === null) await change(tx, sql.schedules.addSchedule, [name, ...values]);
  else {
    const asRead = [read.fingerprint, read.source, read.nextAt];
    await change(tx, sql.schedules.changeSchedule, [...values, name, ...asRead]);
  }
}

async function isLocked(
  sql: Statements,
  tx: MysqlTransaction,
  { name, at, fingerprint }: Firing,
): Promise<boolean> {
  return (await query(tx, sql.schedules.lockDueSchedule, [name, fingerprint, at])).length > 0;
}

async function move(
  sql: Statements,
  tx: MysqlTransaction,
  { firing, fires, skippedFor }: Fired,
): Promise<void> {
  const { name, nextAt, tickAt } = firing;
  await change(tx, sql.schedules.moveSchedule, [nextAt, tickAt, fires, name]);
  if (skippedFor !== null) await change(tx, sql.schedules.noteSkipped, [tickAt, skippedFor, name]);
}

function found(rows: readonly ScheduleRow[]): FoundSchedules {
  return {
    now: Number(rows[0]?.now ?? 0),
    schedules: rows.flatMap(({ name, plan, fingerprint, source, ...row }) => {
      if (name === null) return [];
      return {
        name,
        plan: JSON.parse(plan),
        fingerprint,
        source,
        nextAt: number(row.next_at),
        tickAt: number(row.tick_at),
        firedAt: number(row.fired_at),
        skipped: Number(row.skipped),
        skippedTickAt: number(row.skipped_tick),
        skippedFor: row.skipped_for,
        broken: row.broken,
        brokenAt: number(row.broken_at),
        pausedAt: number(row.paused_at),
        pausedBy: row.paused_by,
        updatedAt: Number(row.updated_at),
        updatedBy: row.updated_by,
      };
    }),
  };
}

function number(text: string | null): number | null {
  return text === null ? null : Number(text);
}
