import type { JobView } from '@rowlock/core';
import { commonText, errorPattern } from '../error-pattern.js';
import { filterOf } from '../filter.js';
import { redactError } from '../redact.js';
import type { ErrorGroup, ErrorsView } from '../views.js';
import type { Call } from './route.js';

/** How many failed jobs are read. */
const MOST = 1_000;

/** The longest text that a filter takes. */
const LONGEST_TEXT = 512;

/** The newest failed jobs, by kind, code and the pattern of the message. The largest group comes first. */
export async function errors({ rowlock, query, redact }: Call): Promise<ErrorsView> {
  const found = await rowlock.jobs.list({ ...filterOf(query), status: 'error', limit: MOST });
  const groups = new Map<string, ErrorGroup>();
  for (const job of found.jobs) {
    const { code = '', message = '' } =
      (redact === undefined ? job.error : redactError(job.error, job, redact)) ?? {};
    const name = JSON.stringify([job.kind, code, errorPattern(message)]);
    const group = groups.get(name) ?? groupOf(job, code, message);
    groups.set(name, { ...group, jobs: group.jobs + 1, first: job.finishedAt });
  }
  return {
    groups: [...groups.values()].sort((one, other) => other.jobs - one.jobs),
    read: found.jobs.length,
    more: found.cursor !== null,
  };
}

/** The newest job comes first. A redacted text finds nothing, so it is left out. */
function groupOf({ kind, error, finishedAt }: JobView, code: string, message: string): ErrorGroup {
  const filter = new URLSearchParams({ status: 'error', kind });
  if (error !== null && error.code === code && code !== '') filter.set('error-code', code);
  const pattern = errorPattern(message);
  const text = error?.message === message ? commonText(pattern).slice(0, LONGEST_TEXT) : '';
  if (text !== '') filter.set('error-text', text);
  return {
    kind,
    code,
    pattern,
    message,
    jobs: 0,
    first: finishedAt,
    last: finishedAt,
    filter: String(filter),
  };
}
