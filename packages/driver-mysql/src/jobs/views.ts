/** The jobs of a filter, as operators see them. */

import type { State } from '@rowlock/core';
import type { CountPage, JobEntry, JobFilter, JobId, JobPage, Page } from '@rowlock/core/driver';
import type { Context } from '../context.js';
import { type MysqlTransaction, query } from '../query.js';
import { type JobViewRow, toJobView } from '../rows.js';
import { countBy, directionOf, pageBy, select } from './selection.js';

interface EntryRow {
  readonly id: string;
  readonly public_id: string;
  readonly queue: string;
  readonly status: State;
  readonly created_ms: string;
  readonly settled_ms: string | null;
}

/** @throws DriverError */
export async function listJobs(
  on: MysqlTransaction,
  context: Context,
  filter: JobFilter,
  page: Page,
): Promise<JobPage> {
  const { rows: ways, conditions, lookedTo } = await select(on, context, filter, page, 'list');
  const direction = directionOf(page);
  const ids = pageBy(context, ways, conditions, { limit: page.limit + 1, direction });
  const { lockPrefix } = context;
  const prefixes = [lockPrefix, lockPrefix, lockPrefix, lockPrefix];
  const found = await query<JobViewRow>(on, context.sql.selection.list(ids.text), [
    ...prefixes,
    ...ids.values,
  ]);
  const sign = direction === 'ASC' ? 1n : -1n;
  const rows = found.toSorted((a, b) => Number(sign * (BigInt(a.id) - BigInt(b.id))));
  return { jobs: rows.slice(0, page.limit).map(toJobView), next: nextOf(rows, page, lookedTo) };
}

/** @throws DriverError */
export async function listEntries(
  on: MysqlTransaction,
  context: Context,
  filter: JobFilter,
  page: Page,
): Promise<JobPage<JobEntry>> {
  const { rows: ways, conditions, lookedTo } = await select(on, context, filter, page, 'list');
  const direction = directionOf(page);
  const ids = pageBy(context, ways, conditions, { limit: page.limit + 1, direction });
  const rows = await query<EntryRow>(on, context.sql.selection.listEntries(ids.text, direction), ids.values);
  const jobs = rows.slice(0, page.limit).map(({ id, public_id, queue, status, created_ms, settled_ms }) => ({
    ...{ id: BigInt(id), publicId: public_id, queue, status },
    createdMs: Number(created_ms),
    settledMs: settled_ms === null ? null : Number(settled_ms),
  }));
  return { jobs, next: nextOf(rows, page, lookedTo) };
}

/** @throws DriverError */
export async function countJobs(
  on: MysqlTransaction,
  context: Context,
  filter: JobFilter,
  page: Page,
): Promise<CountPage> {
  const { rows, conditions, lookedTo } = await select(on, context, filter, page, 'count');
  const count = await countBy(on, context, rows, conditions, page.limit);
  return { count, next: count < page.limit ? lookedTo : null };
}

/** @param rows One more than the page has, where there are more. */
function nextOf(
  rows: readonly { readonly id: string }[],
  { limit }: Page,
  lookedTo: JobId | null,
): JobId | null {
  const last = rows[limit - 1];
  return rows.length > limit && last !== undefined ? BigInt(last.id) : lookedTo;
}
