/** The statements for jobs by the status that operators see. A held job is `new` in its row, and is shown as `in-progress`. */

import type { State } from '@rowlock/core';
import type { JobFilter, JobPage, Page } from '@rowlock/core/driver';
import type { Context } from '../context.js';
import { type PostgresTransaction, query } from '../query.js';
import { type JobViewRow, toJobView } from '../rows.js';

/** Newest first. @throws DriverError */
export async function listJobs(
  on: PostgresTransaction,
  { sql, lockClass }: Context,
  { publicIds, queue, kind, key, status }: JobFilter,
  { limit, before }: Page,
): Promise<JobPage> {
  const wanted = filled([publicIds, queue, kind, key, status]);
  const values = [lockClass.unsigned, ...wanted, before, limit + 1];
  const text = status === 'new' ? sql.listNew : status === 'in-progress' ? sql.listInProgress : sql.list;
  const rows = await query<JobViewRow>(on, text, values);
  const page = rows.slice(0, limit);
  return { jobs: page.map(toJobView), next: rows.length > limit ? (page.at(-1)?.id ?? null) : null };
}

/** By state. @throws DriverError */
export async function countJobs(
  on: PostgresTransaction,
  { sql, lockClass }: Context,
  { queue, kind, key, status }: JobFilter,
): Promise<Record<State, number>> {
  const values = [lockClass.unsigned, ...filled([queue, kind, key, status])];
  const rows = await query<{ status: State; jobs: bigint }>(on, sql.count, values);
  const counts: Record<State, number> = { new: 0, 'in-progress': 0, complete: 0, error: 0, cancelled: 0 };
  for (const row of rows) counts[row.status] += Number(row.jobs);
  return counts;
}

/** The parts of a filter as values. A caller's `tx` may refuse `undefined`. */
function filled<Part>(parts: readonly (Part | undefined)[]): (Part | null)[] {
  return parts.map((part) => part ?? null);
}
