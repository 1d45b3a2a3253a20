import { InvalidPayloadError, isDriverError, RowlockError } from '@rowlock/core';
import { DatabaseAwayError } from '../database-away.js';
import { Problem } from './problem.js';

/** What an error means to who asked, or undefined if it is a fault of ours. */
export function problemOf(error: unknown): Problem | undefined {
  if (error instanceof Problem) return error;
  if (error instanceof InvalidPayloadError) {
    const errors = error.issues.map(({ path, message }) => ({ at: path.join('.'), message }));
    return new Problem(400, 'The request is not what is expected.', { errors });
  }
  if (error instanceof RowlockError && error.code === 'ROWLOCK_INVALID_INPUT') {
    return new Problem(400, error.message);
  }
  if (error instanceof DatabaseAwayError || (isDriverError(error) && error.isRetryable)) {
    const detail = 'The database cannot be reached, or is too busy, at the moment. Try again shortly.';
    return new Problem(503, detail, { headers: { 'Retry-After': '1' }, cause: error });
  }
  return problemOfHttpError(error);
}

/** Errors of Express and its body parsers carry a status, and most of them a type. */
function problemOfHttpError(error: unknown): Problem | undefined {
  if (!(error instanceof Error) || !('status' in error)) return undefined;
  const { status, message } = error;
  if (typeof status !== 'number' || status < 400 || status > 499) return undefined;
  const type = 'type' in error ? String(error.type) : '';
  if (type === 'entity.parse.failed')
    return new Problem(400, `The body is not valid JSON: ${message.slice(0, 200)}`);
  return new Problem(status, DETAILS[status] ?? 'The request cannot be understood.');
}

const DETAILS: Readonly<Record<number, string>> = {
  400: 'The request is malformed or was cut off.',
  413: 'The body is larger than 1 MB.',
  415: 'The body has an encoding or a character set that is not supported; send UTF-8.',
};
