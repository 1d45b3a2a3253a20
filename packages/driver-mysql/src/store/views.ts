/** The statements for jobs by the status that operators see. A held job is `new` in its row, and is shown as `in-progress`. */

import type { State } from '@rowlock/core';
import type { JobFilter, JobPage, Page } from '@rowlock/core/driver';
import type { Context } from '../context.js';
import { type MysqlTransaction, query, type Value } from '../query.js';
import { type JobViewRow, toJobView } from '../rows.js';
import { list } from '../values/list.js';
import { conditions, type Filter } from './conditions.js';

interface Statement {
  readonly text: string;
  readonly values: readonly Value[];
}

/** Newest first. @throws DriverError */
export async function listJobs(
  on: MysqlTransaction,
  context: Context,
  { status, ...filter }: JobFilter,
  { limit, before }: Page,
): Promise<JobPage> {
  const { text, values } = await listOf(on, context, status, { ...filter, before });
  const { lockPrefix } = context;
  const prefixes = [lockPrefix, lockPrefix, lockPrefix, lockPrefix];
  const rows = await query<JobViewRow>(on, text, [...prefixes, ...values, limit + 1]);
  rows.sort((a, b) => Number(BigInt(b.id) - BigInt(a.id)));
  const page = rows.slice(0, limit);
  const last = page.at(-1);
  return { jobs: page.map(toJobView), next: rows.length > limit && last ? BigInt(last.id) : null };
}

/** By state. @throws DriverError */
export async function countJobs(
  on: MysqlTransaction,
  context: Context,
  filter: JobFilter,
): Promise<Record<State, number>> {
  const { text, values } = await countOf(on, context, filter);
  const rows = await query<{ status: State; jobs: number }>(on, text, values);
  const counts: Record<State, number> = { new: 0, 'in-progress': 0, complete: 0, error: 0, cancelled: 0 };
  for (const row of rows) counts[row.status] += Number(row.jobs);
  return counts;
}

async function listOf(
  on: MysqlTransaction,
  context: Context,
  status: State | undefined,
  filter: Filter,
): Promise<Statement> {
  const { sql } = context;
  if (status !== 'new' && status !== 'in-progress') {
    const { where, values } = conditions({ ...filter, status });
    return { text: sql.list(where), values };
  }
  const { where, values } = conditions(filter);
  const { places, given } = await held(on, context, values);
  const text = status === 'new' ? sql.listNew : sql.listInProgress;
  return { text: text(where, places), values: [...given, ...values] };
}

async function countOf(
  on: MysqlTransaction,
  context: Context,
  { status, ...filter }: JobFilter,
): Promise<Statement> {
  const { sql } = context;
  const { where, values } = conditions({ ...filter, status });
  const moves = (['new', 'in-progress'] as const).filter((each) => status === undefined || status === each);
  if (moves.length === 0) return { text: sql.countSettled(where), values };
  const others = conditions(filter);
  const { places, given } = await held(on, context, others.values);
  return { text: sql.count(where, others.where, places, moves), values: [...given, ...values] };
}

/** The values for the part of a statement that finds held jobs. */
async function held(
  on: MysqlTransaction,
  { sql, lockPrefix }: Context,
  values: readonly Value[],
): Promise<{ readonly places: string; readonly given: readonly Value[] }> {
  const alive = await query<{ id: string }>(on, sql.aliveWorkers, [lockPrefix]);
  // A list must not be empty. No worker has the id 0.
  const workers = list(['0', ...alive.map(({ id }) => id)]);
  const given = [...workers.values, ...values, ...workers.values, ...values, lockPrefix];
  return { places: workers.places, given };
}
