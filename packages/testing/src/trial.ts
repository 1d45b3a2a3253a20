import {
  createRowlock,
  type Enqueueable,
  InvalidInputError,
  type JobView,
  type Json,
  type Logger,
  type Rowlock,
  type RunContext,
} from '@rowlock/core';
import { type AnyHandler, apply, checkOperations, checkWhole } from '@rowlock/core/driver';
import { type MemoryTransaction, memory, memoryDatabase } from '@rowlock/driver-memory';
import type { StandardSchemaV1 } from '@standard-schema/spec';
import type { JobEnding, RunHandlerOptions } from './handler-run.js';
import { type EnqueuedJob, recording } from './jobs-of.js';
import { Savepoint } from './savepoint.js';

const SILENT: Logger = { debug() {}, info() {}, warn() {}, error() {} };

/** What shows whether the writes of a run were kept. */
const [TABLE, WRITTEN] = ['run', 'written'];

/** One run of a handler's code by a real worker, for a job in memory. */
export class Trial<Tx> {
  readonly #handler: AnyHandler<Tx>;
  readonly #options: RunHandlerOptions<Tx>;
  readonly #database = memoryDatabase();
  readonly #rowlock: Rowlock<MemoryTransaction>;
  readonly #savepoint: Savepoint;
  #publicIds: readonly string[] = [];
  /** Whether the attempts before are over. */
  #isReal = false;
  /** Whether the handler's code goes on. */
  #isCalled = false;
  readonly enqueued: EnqueuedJob[] = [];
  progress: Json = null;

  constructor(handler: AnyHandler<Tx>, options: RunHandlerOptions<Tx>) {
    this.#handler = handler;
    this.#options = options;
    this.#savepoint = new Savepoint(options.tx);
    // What is to be tried again is not due by itself.
    this.#database.clock.freeze();
    this.#rowlock = createRowlock({
      driver: memory({ database: this.#database }),
      handlers: [
        {
          ...handler,
          limit: undefined,
          // What follows a failure is no matter of the run.
          own: { ...handler.own, onFailed: undefined },
          code: { run: (context) => this.#call(context) },
        },
      ],
      defaults: { ...options.defaults, onFailed: undefined },
      log: this.#log(options.log ?? SILENT),
    });
  }

  /** @throws InvalidPayloadError */
  async enqueue(payloads: readonly unknown[]): Promise<void> {
    const { key, metadata = {} } = this.#options;
    await this.#rowlock.migrate();
    const enqueued = await this.#rowlock.enqueueMany(
      withoutLimit(this.#handler),
      payloads.map((payload) => ({ payload, metadata, ...(key !== undefined && { key }) })),
    );
    this.#publicIds = enqueued.map(({ publicId }) => publicId);
  }

  /** @throws InvalidInputError */
  async failBefore(attempt: number): Promise<void> {
    for (let failed = 1; failed < attempt; failed++) {
      await this.#rowlock.runUntilIdle();
      const jobs = await this.#found(this.#handler);
      checkWhole('attempt', attempt, 1, Math.max(...jobs.map(({ maxAttempts }) => maxAttempts)));
      const times = jobs.map(({ availableAt }) => availableAt.getTime());
      this.#database.clock.advance(Math.max(0, ...times) - this.#database.clock.now());
    }
    this.#isReal = true;
  }

  async run(): Promise<void> {
    const { signal } = this.#options;
    const cancel = (): void => {
      for (const publicId of this.#publicIds) void this.#rowlock.cancel(publicId).catch(() => {});
    };
    await this.#savepoint.set();
    signal?.addEventListener('abort', cancel);
    await this.#rowlock.runUntilIdle();
    signal?.removeEventListener('abort', cancel);
    await this.#savepoint.end((await this.#database.get(TABLE, WRITTEN)) !== undefined);
  }

  /** How the run ended for each job. @param handler That of the trial, with the type of its output. */
  async jobs<Output>(handler: Enqueueable<StandardSchemaV1, Output>): Promise<readonly JobEnding<Output>[]> {
    // One is that of the run itself.
    const isPause = (await this.#rowlock.jobs.pauses()).length > 1;
    return (await this.#found(handler)).map((job) => this.#ending(job, isPause));
  }

  close(): Promise<void> {
    return this.#rowlock.close();
  }

  async #found<Output>(
    handler: Enqueueable<StandardSchemaV1, Output>,
  ): Promise<readonly JobView<unknown, Output>[]> {
    const found = await Promise.all(this.#publicIds.map((id) => this.#rowlock.find(handler, id)));
    return found.filter((job) => job !== undefined);
  }

  #ending<Output>(job: JobView<unknown, Output>, isPause: boolean): JobEnding<Output> {
    const { status, output, error, attempt, availableAt } = job;
    const ended = { output, error, delayMs: null };
    if (status === 'complete') return { ...ended, outcome: 'complete' };
    if (status === 'error') return { ...ended, outcome: 'fail' };
    if (status === 'cancelled') return { ...ended, outcome: 'cancelled' };
    const delayMs = Math.max(0, availableAt.getTime() - this.#database.clock.now());
    const isCounted = attempt === (this.#options.attempt ?? 1);
    return { output: null, error, delayMs, outcome: isCounted ? 'retry' : isPause ? 'pause' : 'snooze' };
  }

  async #call<Payload>(context: RunContext<Payload, MemoryTransaction>): Promise<unknown> {
    if (!this.#isReal) throw new Error('This attempt was to fail before.');
    // The jobs are not taken again, whatever comes of this run.
    await this.#rowlock.jobs.pause({ queue: this.#handler.queue });
    await context.tx.set(TABLE, WRITTEN, true);
    if (this.#options.signal?.aborted === true)
      for (const { publicId } of context.jobs) await this.#rowlock.cancel(publicId);
    try {
      this.#isCalled = true;
      const result = await recording(this.enqueued, () => this.#callCode(this.#contextOf(context)));
      await this.#savepoint.check();
      return result;
    } finally {
      this.#isCalled = false;
    }
  }

  async #callCode<Payload>(context: RunContext<Payload, Tx>): Promise<unknown> {
    const { code } = this.#handler;
    if ('run' in code) return code.run(context);
    const built = await this.#options.resolve?.(code.use, context);
    if (typeof Object(built?.handler).run !== 'function')
      throw new InvalidInputError(
        `resolve must return { handler }, an object of the class ${code.use.name}.`,
      );
    try {
      return await built?.handler.run(context);
    } finally {
      await built?.dispose?.();
    }
  }

  /** The worker's own context, but for what is not in memory. */
  #contextOf<Payload>(context: RunContext<Payload, MemoryTransaction>): RunContext<Payload, Tx> {
    const { tx, tick, rowlock } = this.#options;
    const { kind } = this.#handler;
    const { key, runId, log, timeLeft, enqueue, enqueueMany, progress } = context;
    const [first, ...others] = context.jobs.map((job) => ({ ...job, tick: tick ?? job.tick }));
    const job = first ?? context.job;
    const joined = tx === undefined ? {} : { tx };
    return {
      ...{ jobs: [job, ...others], job, key, runId, log, timeLeft },
      get tx(): Tx {
        if (tx !== undefined) return tx;
        throw new InvalidInputError(
          `The handler of ${JSON.stringify(kind)} reads tx: give runHandler() an open transaction, { tx }.`,
        );
      },
      get signal(): AbortSignal {
        return context.signal;
      },
      enqueue: (handler, options) =>
        rowlock === undefined
          ? enqueue(withoutLimit(handler), options)
          : rowlock.enqueue(handler, options, joined),
      enqueueMany: (handler, options) =>
        rowlock === undefined
          ? enqueueMany(withoutLimit(handler), options)
          : rowlock.enqueueMany(handler, options, joined),
      progress: Object.assign(
        (value: Json) => {
          progress(value);
          this.progress = value;
        },
        {
          update: (operations: Parameters<typeof progress.update>[0]) => {
            progress.update(operations);
            this.progress = apply(checkOperations(operations), this.progress);
          },
        },
      ),
    };
  }

  /** Without what the worker logs. */
  #log(log: Logger): Logger {
    const when =
      (level: keyof Logger) =>
      (fields: object, message: string): void => {
        if (this.#isCalled) log[level](fields, message);
      };
    return { debug: when('debug'), info: when('info'), warn: when('warn'), error: when('error') };
  }
}

/** A limit may be one that only a plugin knows, and holds up no job here. */
function withoutLimit<Schema extends StandardSchemaV1, Output>(
  handler: Enqueueable<Schema, Output>,
): Enqueueable<Schema, Output> {
  return { ...handler, limit: undefined };
}
