import type { JobView } from '@rowlock/core';
import type { ListOptions } from '@rowlock/core/types';
import { errorSummary } from '../error-summary.js';
import { filterOf } from '../filter.js';
import { Problem } from '../http/problem.js';
import { redactRow } from '../redact.js';
import type { JobRow, JobsView } from '../views.js';
import type { Call } from './route.js';

/** The jobs that the address means, a page at a time: `?kind=mail.send&order=oldest`. */
export async function jobs({ rowlock, query, redact }: Call): Promise<JobsView> {
  const cursor = query.get('cursor');
  const order = orderIn(query);
  for (const name of ['cursor', 'order']) query.delete(name);
  const page = await rowlock.jobs.list({ ...filterOf(query), limit: 50, order, cursor });
  return {
    ...page,
    jobs: page.jobs.map(rowOf).map((row) => (redact === undefined ? row : redactRow(row, row, redact))),
  };
}

export async function count({ rowlock, query }: Call): Promise<object> {
  return rowlock.jobs.count(filterOf(query));
}

/** @throws Problem 400 */
function orderIn(query: URLSearchParams): Required<ListOptions>['order'] {
  const order = query.get('order') ?? 'newest';
  if (order !== 'newest' && order !== 'oldest') throw new Problem(400, 'order must be newest or oldest.');
  return order;
}

function rowOf({ payload, output, metadata, ...row }: JobView): JobRow {
  return { ...row, error: errorSummary(row.error) };
}
