/** The statements for jobs by the status that operators see. A held job is `new` in its row, and is shown as `in-progress`. */

import type { State } from '@rowlock/core';
import type { JobFilter, JobPage, Page } from '@rowlock/core/driver';
import { toText } from '../connection/pipeline/to-text.js';
import type { Context } from '../context.js';
import { answers, type Queryable, textOrNull } from '../query.js';
import { type JobViewRow, toJobView } from '../rows.js';

/** Newest first. @throws DriverError */
export async function listJobs(
  on: Queryable,
  { sql, lockClass }: Context,
  { publicIds, queue, kind, key, status }: JobFilter,
  { limit, before }: Page,
): Promise<JobPage> {
  const wanted = [queue, kind, key, status, before, limit + 1].map(textOrNull);
  const values = [String(lockClass.unsigned), publicIds ? toText(publicIds) : null, ...wanted];
  const text = status === 'new' ? sql.listNew : status === 'in-progress' ? sql.listInProgress : sql.list;
  const found = await answers<Omit<JobViewRow, 'id'> & { id: string }>(on, text, values);
  const rows = found.map((row) => ({ ...row, id: BigInt(row.id) }));
  const page = rows.slice(0, limit);
  return { jobs: page.map(toJobView), next: rows.length > limit ? (page.at(-1)?.id ?? null) : null };
}

/** By state. @throws DriverError */
export async function countJobs(
  on: Queryable,
  { sql, lockClass }: Context,
  { queue, kind, key, status }: JobFilter,
): Promise<Record<State, number>> {
  const values = [lockClass.unsigned, queue, kind, key, status].map(textOrNull);
  const rows = await answers<readonly [State, number]>(on, sql.count, values);
  const counts: Record<State, number> = { new: 0, 'in-progress': 0, complete: 0, error: 0, cancelled: 0 };
  for (const [state, jobs] of rows) counts[state] += jobs;
  return counts;
}
