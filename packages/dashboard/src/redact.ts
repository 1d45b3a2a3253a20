import { InvalidInputError, type JobError, type JobView, type Json, type Logger } from '@rowlock/core';
import type { Reason } from '@rowlock/core/types';
import type { ShownExplanation } from './calls.js';
import { isUnawaited } from './unawaited.js';

export type RedactedPart = 'payload' | 'output' | 'progress' | 'metadata' | 'error';

/** The job that a value is of. A schedule's payload is of a job that has no `publicId` yet. */
export interface RedactedJob extends Pick<JobView, 'kind'> {
  readonly publicId: string | null;
}

/**
 * Changes a value before it leaves the server. An error is `{ code, message, details, stack }`, and stays an error if the result has
 * a `code` and a `message`.
 */
export type Redact = (value: Json, job: RedactedJob, part: RedactedPart) => Json;

/** In place of a value of which `redact` has made nothing that can be sent. */
const FAILED = { redacted: 'failed' };

/** A function that never fails: a value at which `redact` fails is left out. The first failure is logged. */
export function unfailing(redact: Redact, log: Pick<Logger, 'error'>): Redact {
  let isLogged = false;
  return (value, job, part) => {
    try {
      return sendable(redact(value, job, part));
    } catch (err) {
      const { kind, publicId } = job;
      if (!isLogged) log.error({ err, kind, publicId, part }, 'redact has failed, and the value is left out');
      isLogged = true;
      return FAILED;
    }
  };
}

/** @throws InvalidInputError for what is no JSON, and whatever writing it as JSON throws. */
function sendable(value: unknown): Json {
  const text: string | undefined = isUnawaited(value) ? undefined : JSON.stringify(value ?? null);
  if (text === undefined)
    throw new InvalidInputError('`redact` must return the value itself, as JSON has it.');
  return JSON.parse(text);
}

/** A job without what must not leave the server. */
export function redactJob(job: JobView, redact: Redact): JobView {
  return {
    ...job,
    ...redactRow(job, job, redact),
    payload: redact(job.payload, job, 'payload'),
    output: job.output === null ? null : redact(job.output, job, 'output'),
    metadata: redactMetadata(job.metadata, job, redact),
  };
}

/** What a list shows of a job or a run. */
export function redactRow<Row extends Pick<JobView, 'progress' | 'error'>>(
  row: Row,
  job: RedactedJob,
  redact: Redact,
): Row {
  return {
    ...row,
    progress: row.progress === null ? null : redact(row.progress, job, 'progress'),
    error: redactError(row.error, job, redact),
  };
}

export function redactExplanation(
  explanation: ShownExplanation,
  job: RedactedJob,
  redact: Redact,
): ShownExplanation {
  return {
    ...explanation,
    reasons: explanation.reasons.map((reason) =>
      'isHidden' in reason ? reason : redactReason(reason, job, redact),
    ),
  };
}

/** The sentences have the errors' texts, too. */
function redactReason(reason: Reason, job: RedactedJob, redact: Redact): Reason {
  if (reason.reason === 'settled' || reason.reason === 'delayed') {
    const error = redactError(reason.error, job, redact);
    return { ...reason, error, text: exchanged(reason.text, textOf(reason.error), textOf(error)) };
  }
  if (reason.reason !== 'earlier') return reason;
  const causes = reason.causes.map((cause) => redactReason(cause, reason.job, redact));
  const text = causes.reduce(
    (before, cause, place) => exchanged(before, reason.causes[place]?.text ?? '', cause.text),
    reason.text,
  );
  return { ...reason, causes, text };
}

export function redactError(error: JobError | null, job: RedactedJob, redact: Redact): JobError | null {
  if (error === null) return null;
  const redacted = redact({ ...error }, job, 'error');
  return isError(redacted) ? redacted : { code: 'redacted', message: '' };
}

function isError(value: Json): value is { readonly code: string; readonly message: string } {
  const { code, message } = Object(value);
  return typeof code === 'string' && typeof message === 'string';
}

export function redactMetadata(
  metadata: JobView['metadata'],
  job: RedactedJob,
  redact: Redact,
): JobView['metadata'] {
  const redacted = redact(metadata, job, 'metadata');
  return isObject(redacted) ? redacted : { redacted };
}

function isObject(value: Json): value is JobView['metadata'] {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function textOf(error: JobError | null): string {
  return error === null ? '' : `${error.code}: ${error.message}`;
}

function exchanged(text: string, before: string, after: string): string {
  return before === '' ? text : text.split(before).join(after);
}
