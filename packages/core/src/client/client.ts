import type { StandardSchemaV1 } from '@standard-schema/spec';
import type { Clock } from '../clock.js';
import type { WorkerView } from '../driver/anchor.js';
import type { Driver } from '../driver/driver.js';
import type { PauseView } from '../driver/pause.js';
import type { RunView } from '../driver/run-view.js';
import type { Store } from '../driver/store.js';
import type { WakeUp } from '../driver/wake-up.js';
import { ClosedError, InvalidInputError, JobNotFoundError } from '../errors.js';
import { type Explanation, explain } from '../explain/explain.js';
import { QUEUE } from '../handler/handler.js';
import type { DeclaredSizes } from '../handler/job-limits.js';
import { awaitedByRun, isSettledThrough } from '../handler/run-of-handle.js';
import { checkWhole, LIMITS } from '../input.js';
import type { Enqueued, JobView, NewJob } from '../job/job.js';
import type { Json, Stored } from '../job/json.js';
import { publicIdOf } from '../job/public-id.js';
import type { Rates } from '../job/rates.js';
import type { Logger } from '../logger.js';
import { type Picture, type PictureOptions, picture } from '../picture/picture.js';
import type { AroundEnqueue } from '../plugin/around-enqueue.js';
import { type LatestRuns, type LatestRunsOptions, latestRuns } from '../runs/latest-runs.js';
import { type Stats, stats } from '../stats/stats.js';
import { type Trend, type TrendOptions, trend } from '../stats/trend.js';
import type { Operation } from '../update/operation.js';
import { type CallOptions, txOf } from './call-options.js';
import { checkId } from './check-id.js';
import {
  checkEnqueueable,
  type Enqueueable,
  type EnqueueOptions,
  replacingAlone,
} from './enqueue-options.js';
import { checkAfter, wakeUpsAfter } from './followers.js';
import { LimitSizes } from './limits.js';
import { type CountOptions, count, type Listed, type ListOptions, list } from './listing.js';
import type { LocalWorkers } from './local-workers.js';
import type { Counted } from './look.js';
import {
  CANCEL,
  changeMany,
  DELETE,
  type ManyChanged,
  type ManyJobs,
  type ManyOptions,
  REDRIVE,
} from './many.js';
import { moveJob, redriveJob } from './move-job.js';
import { newJobs } from './new-jobs.js';
import type { Replacing } from './on-duplicate.js';
import { newPause, type Pausable, type PauseOptions, pauseTarget } from './pauses.js';
import { RateSettings } from './rates.js';
import { enqueueReplacing } from './replacing.js';
import { Schedules } from './schedules.js';
import { SettledJobs, type SettledOptions } from './settled-jobs.js';
import { SharedStore } from './shared-store.js';
import { type SlotHolder, Slots, type SlotsSize } from './slots.js';
import { changesUpdate, type JobChanges, metadataUpdate, payloadUpdate, updateJob } from './update-job.js';

/** The part of Rowlock that enqueues and inspects. */
export class Client<Tx> {
  readonly #driver: Driver<Tx>;
  readonly #calls: SharedStore;
  readonly #clock: Clock;
  readonly #held = new Set<SlotHolder>();
  readonly #sizes: DeclaredSizes | undefined;
  readonly #around: AroundEnqueue | undefined;
  readonly #settled: SettledJobs;
  #isClosed = false;
  /** The limits that are in use, and their sizes at run time. */
  readonly limits: LimitSizes;
  /** The rates that are in use, and their numbers at run time. */
  readonly rates: RateSettings;
  /** The schedules, at run time. */
  readonly schedules: Schedules<Tx>;

  /** @param around The middleware around enqueues, if any. */
  constructor(
    driver: Driver<Tx>,
    here: LocalWorkers,
    log: Logger,
    clock: Clock,
    around: AroundEnqueue | undefined,
    sizes?: DeclaredSizes,
  ) {
    this.#driver = driver;
    this.#sizes = sizes;
    this.#clock = clock;
    const open = (): Driver<Tx> => {
      this.checkOpen();
      return driver;
    };
    this.limits = new LimitSizes(open, sizes);
    this.rates = new RateSettings(open);
    this.schedules = new Schedules(
      (call, work) => this.#within(call, (tx) => work(tx === undefined ? driver : this.#join(tx))),
      sizes,
    );
    this.#around = around;
    this.#calls = new SharedStore(driver, here, log, clock);
    this.#settled = new SettledJobs({
      states: (publicIds) => this.#calls.states(publicIds),
      find: (publicId) => this.#calls.find(publicId),
      here: (listener) => here.whenSettled(listener),
      clock,
    });
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
    return this.#within(call, async (tx) => {
      if (!Array.isArray(options))
        throw new InvalidInputError('enqueueMany() takes a list: [{ payload }, …].');
      checkWhole('The number of jobs', options.length, 0, LIMITS.jobsPerCall);
      if (options.length === 0) return [];
      const checked = newJobs(handler, options, this.#sizes);
      const jobs = checked instanceof Promise ? await checked : checked;
      checkAfter(jobs);
      const { queue = QUEUE } = handler;
      const write = (rows: readonly NewJob[]): Promise<readonly Enqueued[]> =>
        // In a caller's transaction the commit sends the wake-up.
        tx === undefined
          ? this.#shared.enqueue(rows)
          : this.#join(tx).enqueue(rows, [{ queue }, ...wakeUpsAfter(rows)]);
      const replacing = replacingAlone(options);
      const enqueue = replacing === undefined ? write : this.#replacing(replacing, write, tx);
      return this.#around === undefined ? enqueue(jobs) : this.#around(jobs, enqueue);
    });
  }

  /** Enqueues one job, or has it replace the waiting one of its unique key. */
  #replacing(
    replacing: Replacing,
    write: (rows: readonly NewJob[]) => Promise<readonly Enqueued[]>,
    tx: Tx | undefined,
  ): (rows: readonly NewJob[]) => Promise<readonly Enqueued[]> {
    const parts = {
      store: tx === undefined ? this.#shared : this.#join(tx),
      isJoined: tx !== undefined,
      isOwn: (publicId: string) => isSettledThrough(tx, publicId),
      enqueue: async (job: NewJob) => onlyOne(await write([job])),
    };
    return async (rows) => {
      const enqueued = await enqueueReplacing(parts, onlyOne(rows), replacing);
      // It may be due now.
      if (enqueued.outcome === 'replaced') await this.#wake(tx, [{}]);
      return [enqueued];
    };
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
    return this.#within(call, async (tx) => {
      if (handler !== undefined) checkEnqueueable(handler);
      const known = publicIdOf(publicId);
      if (known === undefined) return undefined;
      const job = await (tx === undefined ? this.#shared.find(known) : findJoined(this.#join(tx), known));
      return handler === undefined || job?.kind === handler.kind ? job : undefined;
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
    this.checkOpen();
    const [handler, publicId, options] = isOfHandler(given) ? given : [undefined, ...given];
    if (handler !== undefined) checkEnqueueable(handler);
    const job = await this.#settled.wait(checkId(publicId), options);
    if (handler !== undefined && job.kind !== handler.kind) throw new JobNotFoundError(publicId);
    return job;
  }

  /**
   * Jobs, newest first, a page at a time. `cursor` leads to the next page, and is null at the end.
   *
   * A running job is `in-progress`, although the table may have it as `new` until its run is settled. So `status` finds
   * what `find` shows. `worker` is the name of the worker that has the job.
   *
   * Where no index has what the filter means, a call looks at up to 40,000 rows; with `error` or `payload`, at up to
   * 10,000. `stopped` says that the call ended there: the page has fewer jobs than `limit`, and `cursor` goes on.
   *
   * @throws InvalidInputError
   * @example
   * const { jobs } = await rowlock.list({ kind: 'mail.send', status: 'error', error: { code: 'ETIMEDOUT' } });
   */
  async list(options: ListOptions = {}, call: CallOptions<Tx> = {}): Promise<Listed> {
    return this.#within(call, async (tx) => list(this.#store(tx), options));
  }

  /**
   * How many jobs there are, as `list` finds them, up to a number. Where no index has what the filter means, looks at as
   * many rows as `list`, and at `upTo` more.
   *
   * @returns `count`, and whether there are `more`, or may be more behind the rows that were looked at.
   * @throws InvalidInputError
   * @example
   * const { count, more } = await rowlock.count({ queue: 'mail', status: 'new' });
   * console.log(`${count}${more ? '+' : ''} mails wait`);
   */
  async count(options: CountOptions = {}, call: CallOptions<Tx> = {}): Promise<Counted> {
    return this.#within(call, async (tx) => count(this.#store(tx), options));
  }

  /**
   * The runs of a job that are on record, oldest first, with their workers, times, outcomes and errors.
   *
   * A run that gave its job back whole has no record. The worker of a run is not on record if the run completed several
   * jobs, or jobs of a batch.
   *
   * @throws JobNotFoundError
   */
  async runs(publicId: string, call: CallOptions<Tx> = {}): Promise<readonly RunView[]> {
    return this.#within(call, async (tx) => {
      const known = checkId(publicId);
      const runs = await this.#store(tx).jobRuns(known);
      if (runs === undefined) throw new JobNotFoundError(known);
      return runs;
    });
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
    return this.#within(call, async (tx) => {
      const known = checkId(publicId);
      // The caller's transaction holds the row's lock itself. A cancel would change the row, and its run would lose the
      // claim.
      if (isSettledThrough(tx, known)) {
        throw new InvalidInputError(
          `tx is of the run that settles job ${known}: a handler ends its own job by what it returns, e.g. fail(). To have the job cancelled, leave tx out.`,
        );
      }
      const moved = await moveJob(this.#store(tx), 'cancel', known);
      if (moved.outcome === 'moved') {
        // Others may wait for the job.
        if (tx !== undefined) await this.#wake(tx, [{ after: known }]);
        return 'cancelled';
      }
      await this.#store(tx).notify([{ cancel: known, redrives: moved.redrives }]);
      return 'signalled';
    });
  }

  /**
   * Gives a job that failed or was cancelled all its attempts again.
   *
   * @throws JobNotFoundError, IllegalTransitionError when the job is in another state, or its unique key is taken by a
   * job that came later.
   */
  async redrive(publicId: string, call: CallOptions<Tx> = {}): Promise<void> {
    return this.#within(call, async (tx) => {
      await redriveJob(this.#store(tx), checkId(publicId));
      await this.#wake(tx, [{}]);
    });
  }

  /**
   * Cancels the outstanding jobs that a filter means, as `cancel` does one, in steps of 100. Each step is a transaction,
   * and no lock outlasts it. Jobs that are enqueued after the call has begun stay.
   *
   * @throws InvalidInputError without a condition; the reason of the `signal`.
   * @example
   * const { found } = await rowlock.cancelMany({ kind: 'mail.send' }, { dryRun: true });
   */
  async cancelMany(jobs: ManyJobs, options: ManyOptions = {}): Promise<ManyChanged> {
    return changeMany(this.#shared, CANCEL, jobs, options);
  }

  /**
   * Redrives the jobs that a filter means, as `redrive` does one, in steps as `cancelMany`. Those that ended as `error`,
   * unless `status` names others.
   *
   * @throws As `cancelMany`.
   * @example
   * await rowlock.redriveMany({ kind: 'mail.send', error: { code: 'ETIMEDOUT' } });
   */
  async redriveMany(jobs: ManyJobs, options: ManyOptions = {}): Promise<ManyChanged> {
    return changeMany(this.#shared, REDRIVE, jobs, options);
  }

  /**
   * Deletes the settled jobs that a filter means, with the records of their runs, in steps as `cancelMany`. Needs the
   * rights of `prune`.
   *
   * @throws As `cancelMany`.
   * @example
   * await rowlock.deleteMany({ queue: 'mail', status: 'cancelled', settled: { before: new Date('2026-01-01') } });
   */
  async deleteMany(jobs: ManyJobs, options: ManyOptions = {}): Promise<ManyChanged> {
    return changeMany(this.#shared, DELETE, jobs, options);
  }

  /**
   * The slots of a limit, for work that is no job. Handlers with a limit of this name share them.
   *
   * @example
   * await using slot = await rowlock.slots('reports', { max: 3 }).acquire({ wait: '5s' });
   * if (slot.outcome === 'full') return;
   *
   * @param size The size as this caller sees it. A size that `limits.set` has set takes its place.
   * @throws InvalidInputError, ClosedError
   */
  slots(name: string, size: SlotsSize): Slots {
    this.checkOpen();
    return new Slots({ driver: this.#driver, clock: this.#clock, held: this.#held }, name, size);
  }

  /**
   * Pauses work: of a queue, of a kind, with a limit or a rate, or all. When this resolves, no claim takes a job of it any
   * more, until it is resumed. Jobs that are claimed already go on, and so do calls that enqueue. Takes the place of an
   * earlier pause of the same work.
   *
   * With `tx`, the pause begins when that transaction commits.
   *
   * @throws InvalidInputError
   * @example
   * await rowlock.pause({ queue: 'mail' }, { until: new Date(Date.now() + 600_000), reason: 'the provider is down' });
   */
  async pause(work: Pausable, options: PauseOptions = {}, call: CallOptions<Tx> = {}): Promise<void> {
    return this.#within(call, async (tx) => this.#pausing(tx).pause(newPause(work, options)));
  }

  /**
   * Ends a pause, and workers take up its work at once. Does nothing if this work is not paused. Each pause ends by
   * itself: that of `'all'` leaves a queue paused that was paused by its name.
   *
   * @throws InvalidInputError
   */
  async resume(work: Pausable, call: CallOptions<Tx> = {}): Promise<void> {
    return this.#within(call, async (tx) => this.#pausing(tx).resume(pauseTarget(work)));
  }

  /** The pauses that have not ended, in the order of their scopes and names, up to 1,000. */
  async pauses(call: CallOptions<Tx> = {}): Promise<readonly PauseView[]> {
    return this.#within(call, async (tx) => this.#pausing(tx).pauses());
  }

  /**
   * Changes a job's metadata in the database, without a read before. All operations take effect, in their order, or
   * none. Updates at the same time lose nothing of each other.
   *
   * The result is `running`, and nothing is written, if a worker holds the job. A worker also holds the waiting jobs of
   * a key while it runs one of them. A handler changes the metadata of its own job with `tx`.
   *
   * @throws JobNotFoundError; InvalidInputError; UpdateRefusedError when the metadata does not fit, or would have more
   * than 64 KiB; IllegalTransitionError when another transaction has the job for long.
   * @example
   * await rowlock.updateMetadata(publicId, [increment('opened'), append('log', [{ by: 'Ada' }])]);
   */
  async updateMetadata(
    publicId: string,
    operations: readonly Operation[],
    call: CallOptions<Tx> = {},
  ): Promise<'updated' | 'running'> {
    return this.#within(call, async (tx) => {
      const known = checkId(publicId);
      const update = metadataUpdate(operations, isSettledThrough(tx, known));
      return updateJob(this.#store(tx), known, update, tx !== undefined);
    });
  }

  /**
   * Changes a waiting job's payload, as `updateMetadata` does its metadata. The result is `running`, and nothing is
   * written, if a worker holds the job. Its handler's schema checks the payload at the claim, and not here. At most 1
   * MiB.
   *
   * @throws As `updateMetadata`; also IllegalTransitionError when the job has ended.
   */
  async updatePayload(
    publicId: string,
    operations: readonly Operation[],
    call: CallOptions<Tx> = {},
  ): Promise<'updated' | 'running'> {
    return this.#within(call, async (tx) => {
      const known = checkId(publicId);
      const update = payloadUpdate(operations);
      // The caller's transaction holds the row's lock itself.
      if (isSettledThrough(tx, known)) return 'running';
      return updateJob(this.#store(tx), known, update, tx !== undefined);
    });
  }

  /**
   * Why a job does not run: each cause as data, and in a sentence. No causes: the next claim of an idle worker takes the
   * job. Reads, and takes no lock that a claim could meet.
   *
   * A job that a transaction other than a run has locked is not seen to be.
   *
   * @throws JobNotFoundError
   * @example
   * const { reasons } = await rowlock.explain(publicId);
   * for (const { text } of reasons) console.log(text);
   */
  async explain(publicId: string): Promise<Explanation> {
    const job = await this.find(checkId(publicId));
    if (job === undefined) throw new JobNotFoundError(publicId);
    return explain({ driver: this.#driver }, job);
  }

  /**
   * How many jobs wait and run, by queue and kind, and what was settled within a minute and an hour. Reads indexes and
   * sums, never the history, so it may be called every few seconds.
   *
   * Of each queue up to 10,000 due jobs and as many delayed ones are counted, and about 20,000 of all queues together.
   * Workers report every 2 s. A worker that dies takes the counts of its last seconds with it.
   */
  async stats(): Promise<Stats> {
    this.checkOpen();
    return stats(this.#driver);
  }

  /**
   * What workers have settled in the last hours or days, as points in order. Reads the sums that `stats` reads, which are
   * kept for a week.
   *
   * @throws InvalidInputError
   * @example
   * const { points } = await rowlock.trend({ last: '24h', queue: 'mail' });
   * for (const { at, settled, failed } of points) console.log(at, settled, failed);
   */
  async trend(options: TrendOptions = {}): Promise<Trend> {
    this.checkOpen();
    return trend(this.#driver, options);
  }

  /**
   * The runs that began in a time, newest first, each with its job, its worker and its outcome. A run of several jobs is
   * there once for each job.
   *
   * Looks at the newest runs of each worker. With a filter it looks at up to 2,000 runs, or at `limit` if that is more, and
   * `more` says that the time had more than these. Leaves out runs without a record, as `runs` does: completed jobs of groups and batches. Leaves out
   * the runs of workers that have been gone for a day.
   *
   * @throws InvalidInputError
   * @example
   * const { runs } = await rowlock.latestRuns({ queue: 'mail', outcome: 'crashed' });
   */
  async latestRuns(options: LatestRunsOptions = {}): Promise<LatestRuns> {
    this.checkOpen();
    return latestRuns(this.#driver, this.#clock, options);
  }

  /**
   * The jobs at the front of a queue in the order of the claim, each with its state as the next claim meets it, and the
   * workers that serve the queue. Reads a few indexes, and waits for no job's lock.
   *
   * Of jobs with different limits or rates, each set has an equal share of `limit`. The first job of a key that is shown
   * is shown too, so there may be more jobs than `limit`.
   *
   * @throws InvalidInputError
   * @example
   * const { jobs, more } = await rowlock.picture({ queue: 'mail' });
   * for (const { publicId, state, run } of jobs) console.log(publicId, state, run?.worker);
   */
  async picture(options: PictureOptions): Promise<Picture> {
    this.checkOpen();
    return picture(this.#driver, options);
  }

  /**
   * Changes a waiting job: its payload, the time before which it does not start, its priority, its limits. All that is
   * named is changed, or nothing. The result is `running`, and nothing is written, if a worker holds the job.
   *
   * @throws As `updatePayload`.
   * @example
   * await rowlock.update(publicId, { runAt: new Date(Date.now() + 3_600_000), priority: 10 });
   */
  async update(
    publicId: string,
    changes: JobChanges,
    call: CallOptions<Tx> = {},
  ): Promise<'updated' | 'running'> {
    return this.#within(call, async (tx) => {
      const known = checkId(publicId);
      const store = this.#store(tx);
      const update =
        changes?.limit === undefined
          ? changesUpdate(changes)
          : changesUpdate(changes, await this.#ratesOf(known, tx));
      // The caller's transaction holds the row's lock itself.
      if (isSettledThrough(tx, known)) return 'running';
      const updated = await updateJob(store, known, update, tx !== undefined);
      // It may be due now, or have room.
      if (updated === 'updated') await this.#wake(tx, [{}]);
      return updated;
    });
  }

  /** The workers that are alive, and those that stopped within the last hour, or died within an hour of their start. */
  async workers(): Promise<readonly WorkerView[]> {
    return this.#shared.workers();
  }

  /** Resolves when all gathered jobs are written, or refused, and every wake-up has been sent. */
  async flush(): Promise<void> {
    await this.#calls.flush();
  }

  /** Gives back the slots that were taken without a job. */
  protected async releaseSlots(): Promise<void> {
    await Promise.all([...this.#held].map((holder) => holder.release()));
  }

  /** Refuses all later calls, and ends those that wait. */
  protected refuseCalls(): void {
    this.#isClosed = true;
    this.#settled.close();
  }

  /** @throws ClosedError */
  protected checkOpen(): void {
    if (this.#isClosed) throw new ClosedError();
  }

  /**
   * Makes a call with its transaction. Nothing is awaited before the call's first statement, so a caller who forgets to
   * await the call does not send the COMMIT before that statement.
   *
   * @throws ClosedError
   */
  async #within<Answer>(
    call: CallOptions<Tx>,
    work: (tx: Tx | undefined) => Promise<Answer>,
  ): Promise<Answer> {
    this.checkOpen();
    const tx = txOf(call);
    return awaitedByRun(tx, work(tx));
  }

  /** @throws JobNotFoundError */
  async #ratesOf(publicId: string, tx: Tx | undefined): Promise<Rates> {
    const job = await (tx === undefined ? this.#shared.find(publicId) : findJoined(this.#join(tx), publicId));
    if (job === undefined) throw new JobNotFoundError(publicId);
    return job.rates;
  }

  /** With a caller's transaction, the workers are woken by its commit. */
  async #wake(tx: Tx | undefined, wakeUps: readonly WakeUp[]): Promise<void> {
    if (tx === undefined) await this.#shared.wake(wakeUps);
    else await this.#join(tx).notify(wakeUps);
  }

  get #shared(): SharedStore {
    this.checkOpen();
    return this.#calls;
  }

  #join(tx: Tx): Store {
    this.checkOpen();
    return this.#driver.join(tx);
  }

  #pausing(tx: Tx | undefined): Pick<Store, 'pause' | 'resume' | 'pauses'> {
    return tx === undefined ? this.#driver : this.#join(tx);
  }

  #store(tx: Tx | undefined): Pick<Store, 'list' | 'count' | 'jobRuns' | 'move' | 'update' | 'notify'> {
    return tx === undefined ? this.#shared : this.#join(tx);
  }
}

function onlyOne<Item>([item]: readonly Item[]): Item {
  if (item === undefined) throw new Error('The driver returned no outcome for a job.');
  return item;
}

async function findJoined(store: Store, publicId: string): Promise<JobView | undefined> {
  const { jobs } = await store.list({ publicIds: [publicId] }, { limit: 1, before: null });
  return jobs[0];
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
