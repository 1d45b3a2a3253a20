/** The statements for jobs by the status that operators see. A held job is `new` in its row, and is shown as `in-progress`. */

import type { CountPage, JobEntry, JobFilter, JobId, JobPage, Page } from '@rowlock/core/driver';
import type { Context } from '../context.js';
import { answers, type Queryable } from '../query.js';
import { type JobViewRow, toJobView } from '../rows.js';
import { select } from './selection.js';

/** @throws DriverError */
export async function listJobs(
  on: Queryable,
  context: Context,
  filter: JobFilter,
  page: Page,
): Promise<JobPage> {
  const selecting = select(on, context, filter, page, 'list');
  const { selection, values, lookedTo } = selecting instanceof Promise ? await selecting : selecting;
  const found = await answers<Omit<JobViewRow, 'id'> & { id: string }>(
    on,
    context.sql.selection.list(selection),
    values.all,
  );
  const rows = found.map((row) => ({ ...row, id: BigInt(row.id) }));
  return { jobs: rows.slice(0, page.limit).map(toJobView), next: nextOf(rows, page, lookedTo) };
}

/** @throws DriverError */
export async function listEntries(
  on: Queryable,
  context: Context,
  filter: JobFilter,
  page: Page,
): Promise<JobPage<JobEntry>> {
  const selecting = select(on, context, filter, page, 'list');
  const { selection, values, lookedTo } = selecting instanceof Promise ? await selecting : selecting;
  const found = await answers<Omit<JobEntry, 'id'> & { id: string }>(
    on,
    context.sql.selection.listEntries(selection),
    values.all,
  );
  const rows = found.map((row) => ({ ...row, id: BigInt(row.id) }));
  return { jobs: rows.slice(0, page.limit), next: nextOf(rows, page, lookedTo) };
}

/** @throws DriverError */
export async function countJobs(
  on: Queryable,
  context: Context,
  filter: JobFilter,
  page: Page,
): Promise<CountPage> {
  const selecting = select(on, context, filter, page, 'count');
  const { selection, values, lookedTo } = selecting instanceof Promise ? await selecting : selecting;
  const [count = 0] = await answers<number>(on, context.sql.selection.count(selection), values.all);
  return { count, next: count < page.limit ? lookedTo : null };
}

/** @param rows One more than the page has, where there are more. */
function nextOf(
  rows: readonly { readonly id: JobId }[],
  { limit }: Page,
  lookedTo: JobId | null,
): JobId | null {
  return rows.length > limit ? (rows[limit - 1]?.id ?? null) : lookedTo;
}
