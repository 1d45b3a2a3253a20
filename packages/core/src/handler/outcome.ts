import { type Duration, milliseconds } from '../duration.js';
import type { Json } from '../job/json.js';

/** How a handler says that a job ended. A handler that returns nothing completed; one that throws wants a retry. */
export type Outcome =
  | { readonly event: 'complete'; readonly output: Json }
  | { readonly event: 'retry'; readonly error: unknown; readonly delayMs: number | null }
  | { readonly event: 'snooze'; readonly delayMs: number }
  | { readonly event: 'fail'; readonly error: unknown };

/**
 * The work is done. `output` is kept in the row.
 *
 * @param output JSON. TypeScript takes no `interface` for that, which could be given more members later: spread it, `complete({ ...out })`, or
 * make it a `type`.
 */
export function complete(output: Json = null): Outcome {
  return { event: 'complete', output };
}

/**
 * Try again, if attempts are left; the attempt counts. What the handler wrote through its transaction before it
 * returned this is kept; throw instead to undo it.
 *
 * @param options.after The pause; by default the handler's backoff decides.
 */
export function retry(error: unknown, options: { readonly after?: Duration } = {}): Outcome {
  const delayMs = options.after === undefined ? null : milliseconds(options.after, 'after');
  return { event: 'retry', error, delayMs };
}

/** Not now: look again after `delay`. The attempt does not count. */
export function snooze(delay: Duration): Outcome {
  return { event: 'snooze', delayMs: milliseconds(delay, 'delay') };
}

/** Give up, whatever attempts are left. */
export function fail(error: unknown): Outcome {
  return { event: 'fail', error };
}

/**
 * What a handler returns: one outcome for all its jobs, or one for each by public id, or nothing for `complete()`. Anything else, and a
 * map without one of the jobs, is taken for an error that it threw: what it wrote through its transaction is undone, and all its jobs are retried.
 */
// biome-ignore lint/suspicious/noConfusingVoidType: a handler without a return statement is one that completes.
export type HandlerResult = Outcome | ReadonlyMap<string, Outcome> | void;
