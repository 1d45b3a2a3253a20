import type { Clock } from '../../clock.js';
import { ClaimLostError, HandlerTimeoutError } from '../../errors.js';
import type { RunContext } from '../../handler/handler.js';
import { type BuiltHandler, buildHandler } from '../../handler/run-container.js';
import { Context, type HandlerCall } from './context.js';
import type { LiveRun } from './live-run.js';
import { GRACE_MS } from './time-limits.js';

/**
 * Calls a handler and waits for it, until its timeout, a cancellation, the worker's end or the loss of the
 * claim. Then its signal is aborted, and it is given `GRACE_MS` to end; one that does not is left behind: its
 * transaction is taken from it, and what it still returns is not looked at. One whose signal is aborted before it begins
 * is not called.
 *
 * @param leaveBehind Is called with the handler's late end when it is left behind.
 * @throws What the handler threw, or the reason of the abort; `ClaimLostError` when the claim is gone.
 */
export function callHandler<Tx>(
  call: HandlerCall<Tx>,
  leaveBehind: (ended: Promise<unknown>) => void,
): unknown {
  const context = new Context(call);
  let returned: unknown;
  try {
    // The claim was lost, or the job cancelled, while the run's record was written: there is nothing to begin.
    if (call.live.stopped !== null) throw call.live.stopped;
    returned = invoke(call, context);
  } catch (error) {
    context.end();
    throw lostClaim(call) ?? error;
  }
  // As one promise, which can be asked more than once: a query builder sends its query each time.
  if (isThenable(returned)) return ending(call, context, Promise.resolve(returned), leaveBehind);
  // It has ended by now, and is timed by nobody.
  context.end();
  const lost = lostClaim(call);
  if (lost !== undefined) throw lost;
  return returned;
}

/** What a handler that goes on ends with. */
async function ending<Tx>(
  call: HandlerCall<Tx>,
  context: Context<Tx>,
  ended: Promise<unknown>,
  leaveBehind: (ended: Promise<unknown>) => void,
): Promise<unknown> {
  const { handler, until, live, clock } = call;
  const stopTimer = clock.after(until - clock.now(), () =>
    live.stop(new HandlerTimeoutError(handler.kind, handler.timeoutMs)),
  );
  try {
    const result = await inGrace(ended, live, clock);
    if (result === LEFT_BEHIND) {
      leaveBehind(ended);
      throw live.stopped;
    }
    if (call.tx.lost.aborted) throw call.tx.lost.reason;
    return result;
  } catch (error) {
    throw lostClaim(call) ?? error;
  } finally {
    stopTimer();
    context.end();
  }
}

/** Whatever the handler was told first: a timeout, for one, when the process was frozen for longer than both. */
function lostClaim<Tx>({ tx: { lost }, live }: HandlerCall<Tx>): ClaimLostError | undefined {
  return lost.aborted ? new ClaimLostError(live.runId, { cause: lost.reason }) : undefined;
}

function invoke<Tx>({ handler, container }: HandlerCall<Tx>, context: RunContext<unknown, Tx>): unknown {
  if ('run' in handler.code) return handler.code.run(context);
  return runBuilt(buildHandler(handler.code.use, context, container), context);
}

async function runBuilt<Tx>(built: BuiltHandler<Tx>, context: RunContext<unknown, Tx>): Promise<unknown> {
  try {
    return await built.run(context);
  } finally {
    await built.dispose();
  }
}

/** A query builder, for one, is no promise and begins when it is waited for. */
function isThenable(value: unknown): value is PromiseLike<unknown> {
  return typeof value === 'object' && value !== null && 'then' in value && typeof value.then === 'function';
}

const LEFT_BEHIND = Symbol('left behind');

/** What a handler ends with, if it does so within the time that it has after it was told to stop. */
function inGrace<Result>(
  ended: Promise<Result>,
  live: LiveRun,
  clock: Clock,
): Promise<Result | typeof LEFT_BEHIND> {
  return new Promise((resolve, reject) => {
    let stopTimer = (): void => {};
    live.whenStopped(() => {
      stopTimer = clock.after(GRACE_MS, () => resolve(LEFT_BEHIND));
    });
    const end = (): void => {
      live.whenStopped(() => {});
      stopTimer();
    };
    ended.then(
      (result) => {
        end();
        resolve(result);
      },
      (error) => {
        end();
        reject(error);
      },
    );
  });
}
