import type { Client } from '../../client/client.js';
import type { Clock } from '../../clock.js';
import type { Uses } from '../../driver/driver.js';
import type { Progress, RunContext, RunJob } from '../../handler/handler.js';
import type { FailureJob } from '../../handler/on-failed.js';
import type { Resolve } from '../../handler/resolve.js';
import { givenTo } from '../../handler/run-of-handle.js';
import type { Json } from '../../job/json.js';
import { givenMetadata } from '../../job/metadata.js';
import { tickIn } from '../../job/tick.js';
import { type Logger, withFields } from '../../logger.js';
import type { Operation } from '../../update/operation.js';
import type { CheckedJob } from './check-job.js';
import { type ProgressReporter, progressReporter } from './progress.js';
import type { RunHandle } from './run-handle.js';
import { keyOfAll } from './run-info.js';
import type { TimedRun } from './time-limits.js';

export type Enqueues<Tx> = Pick<Client<Tx>, 'enqueue' | 'enqueueMany'>;

export interface HandlerStep {
  readonly call: () => unknown;
  /** Called when a middleware returns an outcome in place of an error: then the writes of the run are undone. */
  readonly onReplaced: () => void;
}

export type AroundRun<Tx> = (run: RunContext<unknown, Tx>, handler: HandlerStep) => unknown;

/** What the calls of all handlers share. */
export interface CallParts<Tx> {
  readonly driver: Uses<{ claims: 'noteRun' }>;
  readonly client: Enqueues<Tx>;
  /** The middleware around runs. Undefined if no plugin has any. */
  readonly around: AroundRun<Tx> | undefined;
  readonly clock: Clock;
  readonly log: Logger;
  readonly resolve: Resolve<Tx>;
  /** The kinds whose jobs captures write. */
  readonly captured: ReadonlySet<string>;
  /** What follows from failures, by the kind of the failed job. */
  readonly failures: ReadonlyMap<string, FailureJob>;
}

export interface HandlerCall<Tx> extends TimedRun<Tx> {
  readonly jobs: readonly [CheckedJob, ...CheckedJob[]];
  readonly tx: Pick<RunHandle<Tx>, 'lost' | 'handle' | 'calls' | 'discard' | 'waits'>;
  readonly shared: CallParts<Tx>;
  /** Called with the handler's late end when it is left behind. */
  readonly leaveBehind: (ended: Promise<unknown>) => void;
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
    Object.freeze(this.jobs); // A job that middleware took out would be settled without a run.
    this.key = keyOfAll(this.jobs);
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
    const { runId, key } = this;
    const { publicId, queue, kind, attempt } = this.job;
    this.#log ??= withFields(this.#call.shared.log, { runId, publicId, queue, kind, key, attempt });
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
    const { shared, live, clock } = this.#call;
    this.#progress ??= progressReporter(shared.driver, live, clock, shared.log);
    if (this.#ended) this.#progress.stop();
    return this.#progress;
  }

  get enqueue(): RunContext<unknown, Tx>['enqueue'] {
    return (handler, options) => this.#call.shared.client.enqueue(handler, options, { tx: this.tx });
  }

  get enqueueMany(): RunContext<unknown, Tx>['enqueueMany'] {
    return (handler, options) => this.#call.shared.client.enqueueMany(handler, options, { tx: this.tx });
  }

  end(): void {
    this.#ended = true;
    this.#progress?.stop();
  }
}

function runJob({ job, payload }: CheckedJob): RunJob<unknown> {
  const { publicId, queue, kind, key, earlierRuns, maxAttempts, createdAt, waitedMs } = job;
  return Object.freeze({
    ...{ publicId, queue, kind, key, payload, earlierRuns, maxAttempts, createdAt, waitedMs },
    attempt: job.attemptsMade + 1,
    metadata: givenMetadata(job.metadata),
    tick: tickIn(job.metadata),
  });
}
