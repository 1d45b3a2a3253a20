import type { JobView } from '@rowlock/core';
import { errorSummary } from '../error-summary.js';
import { filterOf } from '../filter.js';
import { redactRow } from '../redact.js';
import type { JobRow, JobsView } from '../views.js';
import type { Call } from './route.js';

/** The jobs that the address means, a page at a time. */
export async function jobs({ rowlock, query, redact }: Call): Promise<JobsView> {
  const cursor = query.get('cursor');
  query.delete('cursor');
  const page = await rowlock.jobs.list({ ...filterOf(query), limit: 50, cursor });
  return {
    ...page,
    jobs: page.jobs.map(rowOf).map((row) => (redact === undefined ? row : redactRow(row, row, redact))),
  };
}

export async function count({ rowlock, query }: Call): Promise<object> {
  return rowlock.jobs.count(filterOf(query));
}

function rowOf({ payload, output, metadata, ...row }: JobView): JobRow {
  return { ...row, error: errorSummary(row.error) };
}
