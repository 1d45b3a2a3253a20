import { type Duration, milliseconds } from '../duration.js';
import { checkDate, checkKey } from '../input.js';
import type { Json, Serializable } from '../job/json.js';
import { checkOptions } from '../known-options.js';

/** Marks an outcome, as a plain value may have the same members. Two copies of this package share it. */
const OUTCOME: unique symbol = Symbol.for('rowlock.outcome');

interface Marked {
  readonly [OUTCOME]: true;
}

/** The outcome of a job, returned by a handler. Made by `complete`, `retry`, `snooze`, `pause` and `fail`. */
export type Outcome<Output = Json> = Marked &
  (
    | { readonly event: 'complete'; readonly output: Output }
    | { readonly event: 'retry'; readonly error: unknown; readonly delayMs: number | null }
    | { readonly event: 'snooze'; readonly delayMs: number; readonly pause?: PauseOfOthers }
    | { readonly event: 'fail'; readonly error: unknown }
  );

/** The pause of the jobs that wait for the same thing as the one that returned it. */
interface PauseOfOthers {
  readonly until: Date;
  readonly reason: string;
}

/** The work is done. The same as to return nothing. */
export function complete(): Outcome<null>;
/**
 * The work is done. The same as to return `output`.
 *
 * @param output JSON: kept in the row, and at most 1 MiB.
 */
export function complete<Output>(output: Output & Serializable<Output>): Outcome<Output>;
export function complete(output: unknown = null): Outcome<unknown> {
  return { [OUTCOME]: true, event: 'complete', output };
}

/**
 * Try again, if attempts are left. The attempt counts. The handler's earlier writes through its transaction are kept.
 * To undo the writes, throw instead.
 *
 * @param options.delay The pause. Default: the handler's `retry`.
 */
export function retry(error: unknown, options: { readonly delay?: Duration } = {}): Outcome<never> {
  checkOptions('retry()', options, ['delay']);
  const delayMs = options.delay === undefined ? null : milliseconds(options.delay, 'delay');
  return { [OUTCOME]: true, event: 'retry', error, delayMs };
}

/** Not now: look again after `delay`. The attempt does not count. */
export function snooze(delay: Duration): Outcome<never> {
  return { [OUTCOME]: true, event: 'snooze', delayMs: milliseconds(delay, 'delay') };
}

/**
 * Not before this time, and nobody else either: pauses all jobs that have a limit of this job's, or all jobs of
 * its kind if it has none. For an answer that speaks for all, such as "429 Too Many Requests". The attempt does not
 * count. A pause of the same work that ends later, or never, stays as it is.
 *
 * @throws InvalidInputError
 * @example
 * if (answer.status === 429) return pause({ until: new Date(Date.now() + 30_000), reason: 'Google answered 429' });
 */
export function pause(options: PauseUntil): Outcome<never> {
  checkOptions('pause()', options, ['until', 'reason'] satisfies (keyof PauseUntil)[]);
  const { until, reason = 'a handler has paused it' } = options;
  checkDate('until', until);
  checkKey('reason', reason);
  const delayMs = Math.max(0, until.getTime() - Date.now());
  return { [OUTCOME]: true, event: 'snooze', delayMs, pause: { until, reason } };
}

export interface PauseUntil {
  /** When the work goes on, by the database's clock. */
  readonly until: Date;
  /** Up to 512 characters, for `rowlock.jobs.pauses()`. */
  readonly reason?: string;
}

/** Give up, whatever attempts are left. */
export function fail(error: unknown): Outcome<never> {
  return { [OUTCOME]: true, event: 'fail', error };
}

/** Whether `complete`, `retry`, `snooze`, `pause` or `fail` has made it. */
export function isOutcome(value: unknown): value is Outcome<unknown> {
  return typeof value === 'object' && value !== null && OUTCOME in value;
}

/**
 * The result of a handler: an outcome or a JSON value for all its jobs, or a map. The map has one outcome for each job
 * by public id. A plain value, and nothing, complete the jobs. Anything else, and a map without one of the jobs, counts
 * as an error that the handler threw. Then the handler's writes through its transaction are undone, and its jobs are
 * retried.
 */
export type HandlerResult<Output = Json> = Outcome<Output> | OutcomeOfEach<Output> | Output | Nothing;

type OutcomeOfEach<Output> = ReadonlyMap<string, Outcome<Output>>;

// biome-ignore lint/suspicious/noConfusingVoidType: a handler without a return statement is one that completes.
export type Nothing = void | undefined;

/** The type of a handler's result, or of its promise, with `never` in place of each part that is no `HandlerResult`. */
export type Returnable<Result> =
  Result extends PromiseLike<infer Later>
    ? PromiseLike<Returnable<Later>>
    : Result extends Marked | OutcomeOfEach<unknown> | Nothing
      ? Result
      : Serializable<Result>;

/** The output of a job whose handler returns a `Result`. */
export type OutputOf<Result> =
  Result extends PromiseLike<infer Later>
    ? OutputOf<Later>
    : Result extends OutcomeOfEach<unknown>
      ? OutputOf<OneOf<Result>>
      : Result extends Marked
        ? CompletedWith<Result>
        : Result extends Nothing
          ? null
          : Result;

type OneOf<Outcomes> = Outcomes extends ReadonlyMap<string, infer Each> ? Each : never;

/** `never` for an outcome of another kind. */
type CompletedWith<One> = One extends { readonly event: 'complete'; readonly output: infer Output }
  ? Output
  : never;
