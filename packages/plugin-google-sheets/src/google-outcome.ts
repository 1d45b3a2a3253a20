import { fail, type Outcome, retry } from '@rowlock/core';
import { GoogleRequestError, GoogleUnavailableError } from './errors.js';

/**
 * What becomes of a run that Google stopped: unavailable is a retry, no sooner than Google wants; a refusal is final.
 * What the handler wrote through its transaction before is kept.
 * @throws The error itself when it is not of Google: a thrown error undoes what the handler wrote, and is a retry.
 */
export function googleOutcome(error: unknown): Outcome {
  if (error instanceof GoogleUnavailableError) return retry(error, { after: error.retryAfterMs });
  if (error instanceof GoogleRequestError) return fail(error);
  throw error;
}
