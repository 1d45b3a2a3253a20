import type { JobError, JobView, Json } from '@rowlock/core';
import type { Explanation, Reason, RunView } from '@rowlock/core/types';

export type RedactedPart = 'payload' | 'output' | 'progress' | 'metadata' | 'error';

/** The job that a value is of. A schedule's payload is of a job that has no `publicId` yet. */
export interface RedactedJob extends Pick<JobView, 'kind'> {
  readonly publicId: string | null;
}

/**
 * Changes a value before it leaves the server. An error is `{ code, message, details }`, and stays an error if the result has
 * a `code` and a `message`.
 */
export type Redact = (value: Json, job: RedactedJob, part: RedactedPart) => Json;

/** A job without what must not leave the server. */
export function redactJob(job: JobView, redact: Redact): JobView {
  return {
    ...job,
    payload: redact(job.payload, job, 'payload'),
    output: job.output === null ? null : redact(job.output, job, 'output'),
    progress: job.progress === null ? null : redact(job.progress, job, 'progress'),
    metadata: object(redact(job.metadata, job, 'metadata')),
    error: redactError(job.error, job, redact),
  };
}

export function redactRun(run: RunView, job: RedactedJob, redact: Redact): RunView {
  return {
    ...run,
    progress: run.progress === null ? null : redact(run.progress, job, 'progress'),
    error: redactError(run.error, job, redact),
  };
}

export function redactExplanation(explanation: Explanation, job: RedactedJob, redact: Redact): Explanation {
  return {
    ...explanation,
    reasons: explanation.reasons.map((reason) => redactReason(reason, job, redact)),
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
  const { code, message, details } = error;
  const redacted = redact({ code, message, ...(details !== undefined && { details }) }, job, 'error');
  return isError(redacted) ? redacted : { code: 'redacted', message: '' };
}

function isError(value: Json): value is { readonly code: string; readonly message: string } {
  const { code, message } = Object(value);
  return typeof code === 'string' && typeof message === 'string';
}

function object(value: Json): JobView['metadata'] {
  return isObject(value) ? value : { redacted: value };
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
