import type { JobView } from '@rowlock/core';
import { commonText, errorId, errorPattern } from '../error-pattern.js';
import { type ErrorRemarksById, NO_REMARK, remarksOf } from '../error-remarks.js';
import { filterOf } from '../filter.js';
import { redactError } from '../redact.js';
import type { ErrorGroup, ErrorsView } from '../views.js';
import type { Call } from './route.js';

/** How many failed jobs are read. */
const MOST = 1_000;

/** The longest text that a filter takes. */
const LONGEST_TEXT = 512;

/** In how many parts the time of these jobs is told. */
const PARTS = 24;

/** The newest failed jobs, by code and the pattern of the message. The largest group comes first. */
export async function errors({ rowlock, query, redact }: Call): Promise<ErrorsView> {
  const [found, remarks] = await Promise.all([
    rowlock.jobs.list({ ...filterOf(query), status: 'error', limit: MOST }),
    remarksOf(rowlock),
  ]);
  const failures = found.jobs.map((job): Failure => {
    const { code = '', message = '' } =
      (redact === undefined ? job.error : redactError(job.error, job, redact)) ?? {};
    return { job, code, message, pattern: errorPattern(message) };
  });
  const groups = Map.groupBy(failures, ({ code, pattern }) => JSON.stringify([code, pattern]));
  const times = failures.map(timeOf);
  const span = { from: Math.min(...times), until: Math.max(...times) };
  return {
    groups: [...groups.values()]
      .map((group) => groupOf(group, span, remarks))
      .sort((one, other) => other.jobs - one.jobs),
    read: found.jobs.length,
    more: found.cursor !== null,
  };
}

export async function muteErrors({ operator, fields }: Call): Promise<object> {
  const until = fields.timeToCome('until');
  await operator.errors.mute(fields.text('id'), until === undefined ? {} : { until });
  return {};
}

export async function unmuteErrors({ operator, fields }: Call): Promise<object> {
  await operator.errors.unmute(fields.text('id'));
  return {};
}

export async function noteErrors({ operator, fields }: Call): Promise<object> {
  await operator.errors.note(fields.text('id'), fields.text('text'));
  return {};
}

/** A job with its error, as the viewer may see it. */
interface Failure {
  readonly job: JobView;
  readonly code: string;
  readonly message: string;
  readonly pattern: string;
}

interface Span {
  readonly from: number;
  readonly until: number;
}

/** @param failures The one that was enqueued last comes first. */
function groupOf(failures: readonly Failure[], span: Span, remarks: ErrorRemarksById): ErrorGroup {
  const [newest] = failures;
  if (newest === undefined) throw new Error('A group has a job.');
  const { code, message, pattern } = newest;
  const id = errorId(code, pattern);
  // Jobs do not end in the order in which they were enqueued.
  const times = failures.map(timeOf);
  const kinds = [...new Set(failures.map((each) => each.job.kind))].sort();
  return {
    ...{ id, kinds, code, pattern, message },
    ...(remarks.get(id) ?? NO_REMARK),
    jobs: failures.length,
    first: new Date(Math.min(...times)),
    last: new Date(Math.max(...times)),
    line: lineOf(failures, span),
    filter: filterFor(newest, kinds),
  };
}

/** A redacted text finds nothing, so it is left out. */
function filterFor({ job: { error }, code, message, pattern }: Failure, kinds: readonly string[]): string {
  const filter = new URLSearchParams({ status: 'error' });
  for (const kind of kinds) filter.append('kind', kind);
  if (error !== null && error.code === code && code !== '') filter.set('error-code', code);
  const text = error?.message === message ? commonText(pattern).slice(0, LONGEST_TEXT) : '';
  if (text !== '') filter.set('error-text', text);
  return String(filter);
}

/** How many of them failed in each part of the time. */
function lineOf(failures: readonly Failure[], { from, until }: Span): readonly number[] {
  const line = Array.from({ length: PARTS }, () => 0);
  for (const failure of failures) {
    const place = Math.floor(((timeOf(failure) - from) / Math.max(1, until - from)) * PARTS);
    const part = Math.min(PARTS - 1, place);
    line[part] = (line[part] ?? 0) + 1;
  }
  return line;
}

function timeOf({ job: { finishedAt, createdAt } }: Failure): number {
  return (finishedAt ?? createdAt).getTime();
}
