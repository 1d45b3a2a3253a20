import type { DependencyContainer } from 'tsyringe';
import type { Clock } from '../../clock.js';
import type { Driver } from '../../driver/driver.js';
import type { AnyHandler, Progress, RunContext, RunJob } from '../../handler/handler.js';
import { givenTo } from '../../handler/run-of-handle.js';
import type { Json } from '../../job/json.js';
import type { Logger } from '../../logger.js';
import type { Operation } from '../../update/operation.js';
import type { CheckedJob } from './check-job.js';
import type { LiveRun } from './live-run.js';
import { type ProgressReporter, progressReporter } from './progress.js';
import type { RunHandle } from './run-handle.js';

export interface HandlerCall<Tx> {
  readonly handler: AnyHandler<Tx>;
  readonly jobs: readonly [CheckedJob, ...CheckedJob[]];
  /** When its time is over. The checks of the payloads have used some of that time. */
  readonly until: number;
  readonly tx: Pick<RunHandle<Tx>, 'lost' | 'handle' | 'calls'>;
  readonly live: LiveRun;
  readonly driver: Pick<Driver, 'noteRun'>;
  readonly clock: Clock;
  readonly log: Logger;
  readonly container: DependencyContainer | undefined;
}

/** The argument of a handler. Parts that many handlers do not use are made at their first use. */
export class Context<Tx> implements RunContext<unknown, Tx> {
  readonly jobs: readonly [RunJob<unknown>, ...RunJob<unknown>[]];
  readonly job: RunJob<unknown>;
  readonly key: string | null;
  readonly runId: string;
  readonly #call: HandlerCall<Tx>;
  #log: Logger | null = null;
  #progress: ProgressReporter | null = null;
  #ended = false;

  constructor(call: HandlerCall<Tx>) {
    const [first, ...rest] = call.jobs;
    this.job = runJob(first);
    this.jobs = [this.job, ...rest.map(runJob)];
    this.key = first.job.key;
    this.runId = call.live.runId;
    this.#call = call;
  }

  get tx(): Tx {
    const { live, tx } = this.#call;
    return givenTo({ together: live.together, calls: tx.calls }, tx.handle);
  }

  get signal(): AbortSignal {
    return this.#call.live.signal;
  }

  get log(): Logger {
    const { kind } = this.#call.handler;
    this.#log ??= withFields(this.#call.log, { runId: this.runId, kind, key: this.key });
    return this.#log;
  }

  /** A getter, as handlers destructure the context and call its functions without `this`. */
  get timeLeft(): () => number {
    return () => Math.max(0, this.#call.until - this.#call.clock.now());
  }

  get progress(): Progress {
    return Object.assign((value: Json) => this.#reporter().report(value), {
      update: (operations: readonly Operation[]) => this.#reporter().update(operations),
    });
  }

  #reporter(): ProgressReporter {
    const { driver, clock, log } = this.#call;
    this.#progress ??= progressReporter(driver, this.#call.live, clock, log);
    if (this.#ended) this.#progress.stop();
    return this.#progress;
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
