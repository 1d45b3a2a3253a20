import type { State } from '@rowlock/core';
import { type JobUpdate, type NewJob, refusalIn, type Updated } from '@rowlock/core/driver';
import { toText } from '../connection/pipeline/to-text.js';
import { NEVER } from '../followers/statements.js';
import { answers, type Queryable } from '../query.js';
import type { Statements } from '../statements.js';
import { Values } from './conditions.js';
import { updatedJson } from './statements/update-json.js';

interface UpdateRow {
  readonly status: State;
  readonly free: boolean;
  readonly updated: boolean;
}

/** Changes a job. @param waits Whether to wait for the job's lock. @throws DriverError, UpdateRefusedError */
export async function update(
  on: Queryable,
  sql: Statements,
  publicId: string,
  update: JobUpdate,
  waits: boolean,
): Promise<Updated> {
  const values = new Values(publicId, toText(update.from));
  const statement = sql.jobs.update(assignmentsOf(update, values).join(', '), waits);
  const [row] = await answers<UpdateRow>(on, statement, values.all).catch((error: unknown) => {
    throw refusalIn(error);
  });
  if (row === undefined) return { outcome: 'missing' };
  if (row.updated) return { outcome: 'updated' };
  return row.free ? { outcome: 'illegal', status: row.status } : { outcome: 'locked' };
}

/** The placeholder of the first value behind those of the statement itself. */
const FIRST = '$3';

function assignmentsOf(
  { column, operations, mostBytes, values = {} }: JobUpdate,
  given: Values,
): readonly string[] {
  const assignments: string[] = [];
  if (operations.length > 0) {
    const updated = updatedJson(`job.${column}`, FIRST, operations, mostBytes);
    given.add(updated.given, 'text');
    assignments.push(`${column} = ${updated.text}`);
  }
  const { queue, priority, available, limits, latestMs, keepsWaiting = false } = values;
  if (queue !== undefined) assignments.push(`queue = ${given.add(queue, 'text')}`);
  if (priority !== undefined) assignments.push(`priority = ${given.add(priority, 'smallint')}`);
  if (limits !== undefined) assignments.push(`limits = ${given.add(limits, 'text')}`);
  if (available !== undefined) {
    const time = (): string => atLatest(timeOf(available, given), latestMs, given);
    const waits = `job.available_at = ${NEVER}`;
    const kept = (): string => `CASE WHEN ${waits} THEN job.available_at ELSE ${time()} END`;
    assignments.push(`available_at = ${keepsWaiting ? kept() : time()}`);
    assignments.push(`due = ${keepsWaiting ? `NOT ${waits} AND ` : ''}${time()} <= clock_timestamp()`);
  }
  return assignments;
}

function atLatest(time: string, latestMs: number | undefined, given: Values): string {
  if (latestMs === undefined) return time;
  return `least(${time}, job.created_at + ${given.add(latestMs, 'float8')} * interval '1 ms')`;
}

function timeOf(available: NewJob['available'], given: Values): string {
  return 'at' in available
    ? `to_timestamp(${given.add(available.at.getTime(), 'float8')} / 1000)`
    : `clock_timestamp() + ${given.add(available.inMs, 'float8')} * interval '1 ms'`;
}
