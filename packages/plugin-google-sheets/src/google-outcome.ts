import { fail, type Outcome, retry } from '@rowlock/core';
import { GoogleRequestError, GoogleUnavailableError, SheetError } from './errors.js';

/** The pauses between the attempts of a job: 2, 8, 32, 128, 512 and twice 600 s. Google may be away for a while. */
export const PAUSES = { base: 2_000, factor: 4, cap: 600_000 } as const;

/**
 * What becomes of a job whose run Google stopped: unavailable is a retry after its own pause, or later if Google wants that; a refusal
 * is final, and so is a sheet that a person must mend first. What the handler wrote through its transaction before is kept.
 * @throws The error itself when it is not of Google: a thrown error undoes what the handler wrote, and is a retry.
 */
export function googleOutcome(error: unknown, { attempt }: { readonly attempt: number }): Outcome {
  if (error instanceof GoogleRequestError || error instanceof SheetError) return fail(error);
  if (!(error instanceof GoogleUnavailableError)) throw error;
  // A wish replaces the pause, of which the worker takes at least the half: what Google wants in the first second of an
  // outage must not use up the attempts within seconds.
  const least = Math.min(PAUSES.cap, PAUSES.base * PAUSES.factor ** (attempt - 1)) / 2;
  return error.retryAfterMs > least ? retry(error, { after: error.retryAfterMs }) : retry(error);
}
