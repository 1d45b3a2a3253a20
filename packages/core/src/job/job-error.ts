import { InvalidPayloadError } from '../errors.js';
import type { JobError } from './job.js';

/** Longer messages are cut: a row is not a log. */
const LONGEST_MESSAGE = 4_000;

/** Whatever was thrown or given as a reason, as it is kept in a job's row. */
export function jobError(reason: unknown): JobError {
  if (reason instanceof InvalidPayloadError) {
    const details = reason.issues.map(({ path, message }) => ({
      path: [...path],
      message: storable(message),
    }));
    return { code: reason.code, message: storable(reason.message), details };
  }
  if (reason instanceof Error)
    return { code: codeOf(reason), message: storable(reason.message || reason.name) };
  return {
    code: 'ROWLOCK_HANDLER',
    message: storable(typeof reason === 'string' ? reason : inspect(reason)),
  };
}

function codeOf(error: Error): string {
  return 'code' in error && typeof error.code === 'string' ? storable(error.code).slice(0, 128) : error.name;
}

function inspect(reason: unknown): string {
  try {
    return JSON.stringify(reason) ?? String(reason);
  } catch {
    return 'An error that cannot be shown.';
  }
}

/** A message that every database can hold. */
function storable(text: string): string {
  return text
    .slice(0, LONGEST_MESSAGE)
    .replaceAll('\0', '\uFFFD')
    .replaceAll(/\p{Surrogate}/gu, '\uFFFD');
}
