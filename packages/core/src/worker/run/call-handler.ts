import { inCleanContext } from '../../clean-context.js';
import { ClaimLostError, InvalidInputError } from '../../errors.js';
import type { HandlerClass, RunContext } from '../../handler/handler.js';
import { isThenable } from '../../thenable.js';
import { Context, type HandlerCall } from './context.js';
import type { OpenCalls } from './open-calls.js';
import { GRACE_MS, stopInTime } from './time-limits.js';

/**
 * Calls a handler and waits for it, until its timeout, a cancellation, the worker's end or the loss of the claim. Then
 * aborts its signal and gives it `GRACE_MS` to end. A handler that does not end by then is left behind: it loses its
 * transaction, and its result is ignored. A handler whose signal is aborted before it begins is not called.
 *
 * @throws What the handler threw, or the reason of the abort; `ClaimLostError` when the claim is gone.
 */
export function callHandler<Tx>(call: HandlerCall<Tx>): unknown {
  const context = new Context(call);
  let returned: unknown;
  try {
    // The claim was lost, or the job cancelled, during the write of the run's record.
    if (call.live.stopped !== null) throw call.live.stopped;
    returned = inCleanContext(() => settling(invokeAround(call, context)));
  } catch (error) {
    context.end();
    throw lostClaim(call) ?? error;
  }
  const { calls } = call.tx;
  if (returned instanceof Promise || !calls.isEmpty) return ending(call, context, withCalls(returned, calls));
  // A synchronous handler has ended by now, and needs no timer.
  context.end();
  const lost = lostClaim(call);
  if (lost !== undefined) throw lost;
  return returned;
}

/** The result when all calls through the transaction have ended. One that the handler does not await is a write of the run too. */
async function withCalls(returned: unknown, calls: OpenCalls): Promise<unknown> {
  const result = await returned;
  await calls.rest();
  return result;
}

async function ending<Tx>(
  call: HandlerCall<Tx>,
  context: Context<Tx>,
  ended: Promise<unknown>,
): Promise<unknown> {
  const { live } = call;
  const stopTimer = stopInTime(call);
  try {
    const result = await inGrace(ended, call);
    if (result === LEFT_BEHIND) {
      if (!call.tx.waits) call.leaveBehind(ended);
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

/**
 * The loss of the claim counts before any other reason to stop. A process that was frozen for long may note its timeout
 * first.
 */
function lostClaim<Tx>({ tx: { lost }, live }: HandlerCall<Tx>): ClaimLostError | undefined {
  return lost.aborted ? new ClaimLostError(live.runId, { cause: lost.reason }) : undefined;
}

function invokeAround<Tx>(call: HandlerCall<Tx>, context: RunContext<unknown, Tx>): unknown {
  const { live, tx } = call;
  const { around } = call.shared;
  if (around === undefined) return invoke(call, context);
  return around(context, {
    call() {
      // A middleware may have waited for longer than the run may go on.
      if (live.stopped !== null) throw live.stopped;
      return invoke(call, context);
    },
    onReplaced: () => tx.discard(),
  });
}

function invoke<Tx>(call: HandlerCall<Tx>, context: RunContext<unknown, Tx>): unknown {
  const { handler } = call;
  if ('run' in handler.code) return handler.code.run(context);
  return runBuilt(call, handler.code.use, context);
}

/** One promise of what can be awaited, so that it can be awaited more than once: a query builder sends its query at each `then`. */
function settling(returned: unknown): unknown {
  return isThenable(returned) ? Promise.resolve(returned) : returned;
}

async function runBuilt<Tx>(
  { live, shared }: HandlerCall<Tx>,
  use: HandlerClass<unknown, Tx>,
  context: RunContext<unknown, Tx>,
): Promise<unknown> {
  const built = await shared.resolve(use, context);
  if (typeof Object(Object(built).handler).run !== 'function')
    throw new InvalidInputError(`resolve must return { handler }, an object of the class ${use.name}.`);
  try {
    // The container may have taken longer than the run may go on.
    if (live.stopped !== null) throw live.stopped;
    return await built.handler.run(context);
  } finally {
    await built.dispose?.();
  }
}

const LEFT_BEHIND = Symbol('left behind');

/** The handler's result, or `LEFT_BEHIND` if it has not ended within `GRACE_MS` after it was stopped. */
function inGrace<Tx, Result>(
  ended: Promise<Result>,
  { live, clock }: HandlerCall<Tx>,
): Promise<Result | typeof LEFT_BEHIND> {
  return new Promise((resolve, reject) => {
    let stopTimer = (): void => {};
    live.whenStopped(() => {
      stopTimer = clock.after(GRACE_MS, () => resolve(LEFT_BEHIND));
    });
    void ended.then(resolve, reject).finally(() => {
      live.whenStopped(() => {});
      stopTimer();
    });
  });
}
