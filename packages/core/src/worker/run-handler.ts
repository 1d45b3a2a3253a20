import type { DependencyContainer } from 'tsyringe';
import type { Clock } from '../clock.js';
import type { Driver } from '../driver/driver.js';
import { ClaimLostError, HandlerTimeoutError } from '../errors.js';
import type { AnyHandler, RunContext, RunJob } from '../handler/handler.js';
import type { HandlerResult } from '../handler/outcome.js';
import { type BuiltHandler, buildHandler } from '../handler/run-container.js';
import type { Json } from '../job/json.js';
import type { CountedJob } from '../job/settlement.js';
import type { Logger } from '../logger.js';
import { GRACE_MS } from './bounds.js';
import type { LiveRun } from './live-run.js';
import { givenTo } from './own-jobs.js';
import { type ProgressReporter, progressReporter } from './progress.js';
import type { RunPart } from './shared-transaction.js';

/** A job whose payload its schema has accepted. */
export interface CheckedJob {
  readonly job: CountedJob;
  readonly payload: unknown;
}

export interface HandlerCall<Tx> {
  readonly handler: AnyHandler<Tx>;
  readonly jobs: readonly [CheckedJob, ...CheckedJob[]];
  /** When its time is over: what the checks of the payloads took has passed already. */
  readonly until: number;
  readonly tx: Pick<RunPart<Tx>, 'lost' | 'handle'>;
  readonly live: LiveRun;
  readonly driver: Pick<Driver, 'noteRun'>;
  readonly clock: Clock;
  readonly log: Logger;
  readonly container: DependencyContainer | undefined;
}

/**
 * Calls a handler and waits for it, until its timeout, a cancellation, the worker's end or the loss of the
 * claim. Then its signal is aborted, and it is given `GRACE_MS` to end; one that does not is left behind: its
 * transaction is taken from it, and what it still returns is not looked at. One whose signal is aborted before it begins
 * is not called.
 *
 * @param leaveBehind Is called with the handler's late end when it is left behind.
 * @throws What the handler threw, or the reason of the abort; `ClaimLostError` when the claim is gone.
 */
export function runHandler<Tx>(
  call: HandlerCall<Tx>,
  leaveBehind: (ended: Promise<unknown>) => void,
): HandlerResult | Promise<HandlerResult> {
  const context = new Context(call);
  let returned: ReturnType<typeof invoke>;
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
  ended: Promise<HandlerResult>,
  leaveBehind: (ended: Promise<unknown>) => void,
): Promise<HandlerResult> {
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
  return lost.aborted ? new ClaimLostError(live.processId, { cause: lost.reason }) : undefined;
}

function invoke<Tx>(
  { handler, container }: HandlerCall<Tx>,
  context: RunContext<unknown, Tx>,
): HandlerResult | Promise<HandlerResult> {
  if ('run' in handler.code) return handler.code.run(context);
  return runBuilt(buildHandler(handler.code.use, context, container), context);
}

async function runBuilt<Tx>(
  built: BuiltHandler<Tx>,
  context: RunContext<unknown, Tx>,
): Promise<HandlerResult> {
  try {
    return await built.run(context);
  } finally {
    await built.dispose();
  }
}

/** A query builder, for one, is no promise and begins when it is waited for. */
function isThenable(value: HandlerResult | PromiseLike<HandlerResult>): value is PromiseLike<HandlerResult> {
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

/** What a handler is given. What many never ask for is made when it is asked for. */
class Context<Tx> implements RunContext<unknown, Tx> {
  readonly jobs: readonly [RunJob<unknown>, ...RunJob<unknown>[]];
  readonly job: RunJob<unknown>;
  readonly key: string | null;
  readonly processId: string;
  readonly #call: HandlerCall<Tx>;
  #log: Logger | null = null;
  #progress: ProgressReporter | null = null;
  #ended = false;

  constructor(call: HandlerCall<Tx>) {
    const [first, ...rest] = call.jobs;
    this.job = runJob(first);
    this.jobs = [this.job, ...rest.map(runJob)];
    this.key = first.job.key;
    this.processId = call.live.processId;
    this.#call = call;
  }

  get tx(): Tx {
    return givenTo(this.#call.live, this.#call.tx.handle);
  }

  get signal(): AbortSignal {
    return this.#call.live.signal;
  }

  get log(): Logger {
    const { kind } = this.#call.handler;
    this.#log ??= withFields(this.#call.log, { processId: this.processId, kind, key: this.key });
    return this.#log;
  }

  /** Handlers take functions out of the context, and call them without it. */
  get timeLeft(): () => number {
    return () => Math.max(0, this.#call.until - this.#call.clock.now());
  }

  get progress(): (value: Json) => void {
    return (value) => {
      const { driver, clock, log } = this.#call;
      this.#progress ??= progressReporter(driver, this.#call.live, clock, log);
      if (this.#ended) this.#progress.stop();
      this.#progress.report(value);
    };
  }

  end(): void {
    this.#ended = true;
    this.#progress?.stop();
  }
}

function runJob({ job, payload }: CheckedJob): RunJob<unknown> {
  const { publicId, kind, attemptsMade, earlierRuns, maxAttempts, metadata, createdAt } = job;
  return {
    publicId,
    kind,
    payload,
    attempt: attemptsMade + 1,
    earlierRuns,
    maxAttempts,
    metadata,
    createdAt,
  };
}

function withFields(log: Logger, base: object): Logger {
  return {
    debug: (fields, message) => log.debug({ ...base, ...fields }, message),
    info: (fields, message) => log.info({ ...base, ...fields }, message),
    warn: (fields, message) => log.warn({ ...base, ...fields }, message),
    error: (fields, message) => log.error({ ...base, ...fields }, message),
  };
}
