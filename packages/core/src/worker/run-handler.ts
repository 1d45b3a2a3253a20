import type { DependencyContainer } from 'tsyringe';
import type { Clock } from '../clock.js';
import type { Driver, RunTransaction } from '../driver/driver.js';
import { ClaimLostError, HandlerTimeoutError } from '../errors.js';
import type { AnyHandler, RunContext, RunJob } from '../handler/handler.js';
import type { HandlerResult } from '../handler/outcome.js';
import { buildHandler } from '../handler/run-container.js';
import type { CountedJob } from '../job/settlement.js';
import type { Logger } from '../logger.js';
import { GRACE_MS } from './bounds.js';
import type { LiveRun } from './live-run.js';
import { progressReporter } from './progress.js';

/** A job whose payload its schema has accepted. */
export interface CheckedJob {
  readonly job: CountedJob;
  readonly payload: unknown;
}

export interface HandlerCall<Tx> {
  readonly handler: AnyHandler<Tx>;
  readonly jobs: readonly [CheckedJob, ...CheckedJob[]];
  readonly tx: RunTransaction<Tx>;
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
export async function runHandler<Tx>(
  call: HandlerCall<Tx>,
  leaveBehind: (ended: Promise<unknown>) => void,
): Promise<HandlerResult> {
  const { handler, tx, live, clock } = call;
  const started = clock.now();
  const stopTimer = clock.after(handler.timeoutMs, () =>
    live.stop(new HandlerTimeoutError(handler.kind, handler.timeoutMs)),
  );
  const onLost = (): void => live.stop(new ClaimLostError(live.processId, { cause: tx.lost.reason }));
  tx.lost.addEventListener('abort', onLost, { once: true });
  if (tx.lost.aborted) onLost();
  const grace = new Grace(live.signal, clock);
  const progress = progressReporter(call.driver, live.processId, clock, call.log);
  try {
    // The claim was lost, or the job cancelled, while the run's record was written: there is nothing to begin.
    live.signal.throwIfAborted();
    const timeLeft = (): number => Math.max(0, handler.timeoutMs - (clock.now() - started));
    const context = contextOf(call, timeLeft, progress.report);
    const ended = invoke(call, context);
    const result = await Promise.race([ended, grace.over]);
    if (result === LEFT_BEHIND) {
      leaveBehind(ended);
      throw live.signal.reason;
    }
    if (!tx.lost.aborted) return result;
  } catch (error) {
    if (!tx.lost.aborted) throw error;
  } finally {
    stopTimer();
    grace.stop();
    progress.stop();
    tx.lost.removeEventListener('abort', onLost);
  }
  // Whatever the handler was told first: a timeout, for one, when the process was frozen for longer than both.
  throw new ClaimLostError(live.processId, { cause: tx.lost.reason });
}

async function invoke<Tx>(
  { handler, container }: HandlerCall<Tx>,
  context: RunContext<unknown, Tx>,
): Promise<HandlerResult> {
  if ('run' in handler.code) return handler.code.run(context);
  const built = buildHandler(handler.code.use, context, container);
  try {
    return await built.run(context);
  } finally {
    await built.dispose();
  }
}

const LEFT_BEHIND = Symbol('left behind');

/** The time after a signal was aborted in which a handler may end. */
class Grace {
  /** Resolves when it is over. */
  readonly over: Promise<typeof LEFT_BEHIND>;
  readonly #signal: AbortSignal;
  readonly #start: () => void;
  #stopTimer = (): void => {};

  constructor(signal: AbortSignal, clock: Clock) {
    let end: (over: typeof LEFT_BEHIND) => void = () => {};
    this.over = new Promise((resolve) => {
      end = resolve;
    });
    this.#signal = signal;
    this.#start = () => {
      this.#stopTimer = clock.after(GRACE_MS, () => end(LEFT_BEHIND));
    };
    if (signal.aborted) this.#start();
    else signal.addEventListener('abort', this.#start, { once: true });
  }

  stop(): void {
    this.#signal.removeEventListener('abort', this.#start);
    this.#stopTimer();
  }
}

function contextOf<Tx>(
  { jobs: [first, ...rest], tx, live, log }: HandlerCall<Tx>,
  timeLeft: () => number,
  progress: RunContext<unknown>['progress'],
): RunContext<unknown, Tx> {
  const head = runJob(first);
  return {
    jobs: [head, ...rest.map(runJob)],
    job: head,
    key: first.job.key,
    processId: live.processId,
    get tx() {
      return tx.handle;
    },
    signal: live.signal,
    timeLeft,
    progress,
    log: withFields(log, { processId: live.processId, kind: first.job.kind, key: first.job.key }),
  };
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
