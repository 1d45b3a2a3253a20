import type { StandardSchemaV1 } from '@standard-schema/spec';
import { changesOnRecord, enqueueOnRecord } from '../audit/on-record.js';
import type { CallersTx } from '../driver/adapted-transaction.js';
import { InvalidInputError, JobNotFoundError } from '../errors.js';
import { checkAfter } from '../followers/awaited.js';
import { decodedView } from '../handler/codec.js';
import { checkEnqueueable, type Enqueueable } from '../handler/enqueueable.js';
import { isSettledThrough } from '../handler/run-of-handle.js';
import { checkWhole, LIMITS } from '../input.js';
import type { EnqueueOptions } from '../job/enqueue-options.js';
import { markExpiring } from '../job/expires.js';
import type { Enqueued, JobView, NewJob } from '../job/job.js';
import type { Json, Stored } from '../job/json.js';
import { checkId, publicIdOf } from '../job/public-id.js';
import type { AroundEnqueue } from '../plugin/around-enqueue.js';
import type { CallOptions } from './call-options.js';
import type { Calls } from './calls.js';
import { moveJob, redriveJob } from './move-job.js';
import { newJobs, replacingAlone } from './new-job.js';
import type { Replacing } from './on-duplicate.js';
import { enqueueReplacing } from './replacing.js';
import type { SettledOptions } from './settled-jobs.js';
import { changeJob, changesUpdate, type JobChanges } from './update-job.js';
import { watched } from './watched-enqueues.js';

/** The calls that work on one job, and those that enqueue. */
export class Client<Tx> {
  readonly #calls: Calls<Tx>;
  readonly #around: AroundEnqueue | undefined;

  /** @param around The middleware around enqueues, if any. */
  constructor(calls: Calls<Tx>, around: AroundEnqueue | undefined) {
    this.#calls = calls;
    this.#around = around;
  }

  /**
   * Adds a job. When this resolves, the job is in the table, or in the caller's transaction, and a worker is woken.
   *
   * @param handler The handler. In a program without its code: `{ kind, payload }`, with the payload's schema.
   * @returns `enqueued`, or `duplicate` with the public id of the job that has the unique key already. With `onDuplicate`,
   * `replaced` with that of the waiting job that was changed, or `follow-up` with that of a job behind the one that runs.
   * @throws InvalidInputError, InvalidPayloadError; then nothing was written.
   */
  async enqueue<Schema extends StandardSchemaV1>(
    handler: Enqueueable<Schema>,
    options: EnqueueOptions<StandardSchemaV1.InferInput<Schema>>,
    call: CallOptions<Tx> = {},
  ): Promise<Enqueued> {
    return onlyOne(await this.enqueueMany(handler, [options], call));
  }

  /**
   * Adds up to 10,000 jobs of one kind in one transaction, all or none. Returns their outcomes in the same order.
   * Callers that enqueue the same unique keys should pass these in the same order, to wait for each other the least.
   */
  async enqueueMany<Schema extends StandardSchemaV1>(
    handler: Enqueueable<Schema>,
    options: readonly EnqueueOptions<StandardSchemaV1.InferInput<Schema>>[],
    call: CallOptions<Tx> = {},
  ): Promise<readonly Enqueued[]> {
    return this.#calls.acting(call, async (tx, note) => {
      if (!Array.isArray(options))
        throw new InvalidInputError('enqueueMany() takes a list: [{ payload }, …].');
      checkWhole('The number of jobs', options.length, 0, LIMITS.jobsPerCall);
      if (options.length === 0) return [];
      const checked = newJobs(handler, options, this.#calls.declared);
      const jobs = checked instanceof Promise ? await checked : checked;
      checkAfter(jobs);
      const enqueue = this.#writing(tx, replacingAlone(options));
      const noted = (rows: readonly NewJob[]) => watched(handler, rows, enqueue(rows), this);
      const outcomes = await (this.#around === undefined ? noted(jobs) : this.#around(jobs, noted));
      const made = note && enqueueOnRecord(handler, outcomes);
      if (made) await note(made);
      return outcomes;
    });
  }

  /** Writes jobs, or has the one of a call replace the waiting one of its unique key. */
  #writing(
    tx: CallersTx<Tx> | undefined,
    replacing: Replacing | undefined,
  ): (rows: readonly NewJob[]) => Promise<readonly Enqueued[]> {
    // Behind the middleware, which cannot change what is Rowlock's own in metadata.
    const write = (rows: readonly NewJob[]): Promise<readonly Enqueued[]> =>
      this.#calls.store(tx).enqueue(rows.map(markExpiring));
    if (replacing === undefined) return write;
    const parts = {
      store: this.#calls.store(tx),
      isOwn: (publicId: string) => isSettledThrough(tx, publicId),
      enqueue: async (job: NewJob) => onlyOne(await write([job])),
    };
    return async (rows) => [await enqueueReplacing(parts, onlyOne(rows), replacing)];
  }

  /** The job with this public id, or undefined. */
  find(publicId: string, call?: CallOptions<Tx>): Promise<JobView | undefined>;
  /**
   * The job of this handler's kind with this public id. Undefined if there is none, or if it is of another kind.
   *
   * @param handler The handler: `payload` and `output` have its types then. Or `{ kind, payload }`, which types the
   * payload alone. The types are those of the present code. A job that an earlier version has enqueued or completed may
   * differ.
   */
  find<Schema extends StandardSchemaV1, Output = Json>(
    handler: Enqueueable<Schema, Output>,
    publicId: string,
    call?: CallOptions<Tx>,
  ): Promise<JobView<Stored<StandardSchemaV1.InferInput<Schema>>, Output> | undefined>;
  async find(...given: JobWanted<Tx>): Promise<JobView<unknown, unknown> | undefined> {
    const [handler, publicId, call = {}] = isOfHandler(given) ? given : [undefined, ...given];
    return this.#calls.within(call, async (tx) => {
      if (handler !== undefined) checkEnqueueable(handler);
      const known = publicIdOf(publicId);
      if (known === undefined) return undefined;
      const job = await this.#calls.store(tx).find(known);
      if (handler === undefined || job === undefined) return job;
      return job.kind === handler.kind ? decodedView(handler, job) : undefined;
    });
  }

  /**
   * Waits until a job has ended, in whatever process: as `complete`, `error` or `cancelled`. Returns it, with its output or
   * its error. All calls of a process share one statement, which is made less often the longer they wait: each time after a
   * quarter of the time since the newest call, and at least each second. Jobs of this process's own workers are noticed at
   * once.
   *
   * A job that is enqueued in an open transaction is not found: wait after the commit.
   *
   * @throws JobNotFoundError, also when the job is pruned meanwhile; NotSettledError when the time is over;
   * InvalidInputError; ClosedError; the `signal`'s reason.
   * @example
   * const { publicId } = await rowlock.enqueue(Report, { payload });
   * const { status, output } = await rowlock.settled(Report, publicId, { timeout: '30s' });
   */
  settled(publicId: string, options?: SettledOptions): Promise<JobView>;
  /**
   * The same of a job of this handler's kind: `payload` and `output` have its types.
   *
   * @throws also JobNotFoundError when the job is of another kind.
   */
  settled<Schema extends StandardSchemaV1, Output = Json>(
    handler: Enqueueable<Schema, Output>,
    publicId: string,
    options?: SettledOptions,
  ): Promise<JobView<Stored<StandardSchemaV1.InferInput<Schema>>, Output>>;
  async settled(
    ...given:
      | readonly [publicId: string, options?: SettledOptions | undefined]
      | readonly [handler: Enqueueable, publicId: string, options?: SettledOptions | undefined]
  ): Promise<JobView<unknown, unknown>> {
    this.#calls.checkOpen();
    const [handler, publicId, options] = isOfHandler(given) ? given : [undefined, ...given];
    if (handler !== undefined) checkEnqueueable(handler);
    const job = await this.#calls.settled.wait(checkId(publicId), options);
    if (handler === undefined) return job;
    if (job.kind !== handler.kind) throw new JobNotFoundError(publicId);
    return decodedView(handler, job);
  }

  /**
   * Cancels a job. A job that is not locked is `cancelled` at once. For a job that a worker holds, the result is
   * `signalled`: the workers get a cancellation.
   *
   * - If the job runs, its handler's signal is aborted. The job ends as cancelled, unless the handler completes it.
   * - If its key is busy with another job, the job does not run yet. It is cancelled without a run once its lock is
   *   gone, or in its turn.
   *
   * A cancellation is not durable. The job runs if no worker receives the cancellation, or if every worker that
   * received it dies.
   *
   * With `tx`, the job is cancelled when that transaction commits, unless another transaction holds the job. A
   * handler's own `tx` is refused for every job that it settles: the jobs of the handler's run, and of other runs in
   * its batch. For such a job the handler returns `fail()`, or cancels without `tx`.
   *
   * @throws JobNotFoundError, IllegalTransitionError when the job has ended already; InvalidInputError
   */
  async cancel(publicId: string, call: CallOptions<Tx> = {}): Promise<'cancelled' | 'signalled'> {
    return this.#calls.acting(call, async (tx, note) => {
      const known = checkId(publicId);
      // The caller's transaction holds the row's lock itself. A cancel would change the row, and its run would lose the
      // claim.
      if (isSettledThrough(tx, known)) {
        throw new InvalidInputError(
          `tx is of the run that settles job ${known}: a handler ends its own job by what it returns, e.g. fail(). To have the job cancelled, leave tx out.`,
        );
      }
      const store = this.#calls.store(tx);
      const moved = await moveJob(store, 'cancel', known);
      const outcome = moved.outcome === 'moved' ? 'cancelled' : 'signalled';
      await note?.({ action: 'cancel', scope: 'job', name: known, details: { outcome } });
      if (moved.outcome === 'moved') {
        // Others may wait for the job.
        if (store.isJoined) await store.wake([{ after: known }]);
        return outcome;
      }
      await store.notify([{ cancel: known, redrives: moved.redrives }]);
      return outcome;
    });
  }

  /**
   * Gives a job that failed or was cancelled all its attempts again.
   *
   * @throws JobNotFoundError, IllegalTransitionError when the job is in another state, or its unique key is taken by a
   * job that came later; DriverError `LockTimeout` when another transaction has the job: call again.
   */
  async redrive(publicId: string, call: CallOptions<Tx> = {}): Promise<void> {
    return this.#calls.acting(call, async (tx, note) => {
      const known = checkId(publicId);
      const store = this.#calls.store(tx);
      await redriveJob(store, known);
      await note?.({ action: 'redrive', scope: 'job', name: known, details: {} });
      await store.wake([{}]);
    });
  }

  /**
   * Changes a waiting job: its queue, its payload, the time before which it does not start, its priority, its limits. All
   * that is named is changed, or nothing. The result is `running`, and nothing is written, if a worker holds the job.
   *
   * @throws As `jobs.updatePayload`.
   * @example
   * await rowlock.update(publicId, { runAt: new Date(Date.now() + 3_600_000), priority: 10 });
   */
  async update(
    publicId: string,
    changes: JobChanges,
    call: CallOptions<Tx> = {},
  ): Promise<'updated' | 'running'> {
    const { limits } = this.#calls.declared;
    const update = () => changesUpdate(changes, limits);
    return changeJob(this.#calls, publicId, call, update, () => changesOnRecord(changes));
  }
}

function onlyOne<Item>([item]: readonly Item[]): Item {
  if (item === undefined) throw new Error('The driver returned no outcome for a job.');
  return item;
}

/** With `undefined`, as the overloads require. */
type JobWanted<Tx> =
  | readonly [publicId: string, call?: CallOptions<Tx> | undefined]
  | JobOfHandler<CallOptions<Tx>>;

type JobOfHandler<Options> = readonly [handler: Enqueueable, publicId: string, options?: Options | undefined];

function isOfHandler<Options>(
  given: readonly [publicId: string, options?: Options | undefined] | JobOfHandler<Options>,
): given is JobOfHandler<Options> {
  return typeof given[0] === 'object' && given[0] !== null;
}
