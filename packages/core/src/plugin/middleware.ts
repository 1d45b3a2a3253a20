import type { RunContext } from '../handler/handler.js';
import type { Nothing, Outcome } from '../handler/outcome.js';
import type { Enqueued } from '../job/job.js';
import type { EnqueueCall } from './enqueue-call.js';

/**
 * A plugin's code around the calls that enqueue, and around the runs, of all handlers of the Rowlock. The middleware of
 * the first plugin is the outermost one.
 */
export interface Middleware<Tx = unknown> {
  readonly enqueue?: EnqueueMiddleware;
  readonly run?: RunMiddleware<Tx>;
}

/**
 * Called for each call of `enqueue` and `enqueueMany`, once its jobs are checked. `next` writes the jobs, and resolves
 * with their outcomes. It must be called once. The call waits for the middleware, and then ends as `next` did. An error
 * that the middleware throws before `next` has written the jobs rejects the call, and no job is written. A later one is
 * logged.
 */
export type EnqueueMiddleware = (call: EnqueueCall, next: () => Promise<readonly Enqueued[]>) => unknown;

/**
 * Called for each run that begins, with what its handler is given. `next` runs the handler in the caller's async
 * context, and resolves or rejects as the handler does. It may be called once. The run ends as `next` did, unless the
 * middleware throws, or returns an outcome of its own.
 */
export type RunMiddleware<Tx = unknown> = <Result>(
  run: RunContext<unknown, Tx>,
  next: () => Promise<Result>,
) => RunEnd<Result> | Promise<RunEnd<Result>>;

/** What a middleware returns: what `next` resolved with, an outcome in its place, or nothing, which leaves it as it is. */
export type RunEnd<Result> = Result | Outcome | Nothing;
