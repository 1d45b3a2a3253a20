import { newPause, type Pausable, type PauseOptions, pauseTarget } from '../admission/pauses.js';
import { growingEntry } from '../audit/growing-entry.js';
import { changesOnRecord } from '../audit/on-record.js';
import type { Refused } from '../driver/apart.js';
import type { JobEntry, JobFilter } from '../driver/job-filter.js';
import type { PauseView } from '../driver/pause.js';
import { InvalidInputError } from '../errors.js';
import { counting, type Pruned, prune, refusalOf } from '../history/prune.js';
import { type Retention, RetentionLimits } from '../history/retention.js';
import type { JobCount } from '../job/job.js';
import { checkOptions } from '../known-options.js';
import type { Operation } from '../update/operation.js';
import type { CallOptions } from './call-options.js';
import type { Calls } from './calls.js';
import { type CountOptions, count, type Listed, type ListOptions, list } from './listing.js';
import { CANCEL, changeMany, DELETE, type ManyChanged, type ManyOptions, REDRIVE, updating } from './many.js';
import { changeJob, changesUpdate, type JobChanges, metadataUpdate, payloadUpdate } from './update-job.js';

export interface PruneOptions {
  /** Only counts the jobs, and deletes none. Default false. */
  readonly dryRun?: boolean;
  /** Ends the pruning after the step that is on its way. Earlier deletions stay. */
  readonly signal?: AbortSignal;
  /** Called after each step with the number of jobs that it has deleted. */
  readonly onStep?: (pruned: number) => void;
}

/** Jobs by a filter, changes of their JSON, and paused work. */
export class Jobs<Tx = unknown> {
  readonly #calls: Calls<Tx>;
  readonly #retention: RetentionLimits;

  constructor(calls: Calls<Tx>, retention: RetentionLimits) {
    this.#calls = calls;
    this.#retention = retention;
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
   * const { jobs } = await rowlock.jobs.list({ kind: 'mail.send', status: 'error', error: { code: 'ETIMEDOUT' } });
   */
  async list(options: ListOptions = {}, call: CallOptions<Tx> = {}): Promise<Listed> {
    return this.#calls.within(call, async (tx) => list(this.#calls.store(tx), options));
  }

  /**
   * How many jobs there are, as `list` finds them, up to a number. Where no index has what the filter means, looks at as
   * many rows as `list`, and at `upTo` more.
   *
   * @returns `count`, and whether there are `more`, or may be more behind the rows that were looked at.
   * @throws InvalidInputError
   * @example
   * const { count, more } = await rowlock.jobs.count({ queue: 'mail', status: 'new' });
   * console.log(`${count}${more ? '+' : ''} mails wait`);
   */
  async count(options: CountOptions = {}, call: CallOptions<Tx> = {}): Promise<JobCount> {
    return this.#calls.within(call, async (tx) => count(this.#calls.store(tx), options));
  }

  /**
   * Cancels the outstanding jobs that a filter means, by one condition at least, as `cancel` does one, in steps of 100. Each step is a transaction,
   * and no lock outlasts it. Jobs that are enqueued after the call has begun stay.
   *
   * @throws InvalidInputError without a condition; the reason of the `signal`.
   * @example
   * const { found } = await rowlock.jobs.cancelMany({ kind: 'mail.send' }, { dryRun: true });
   */
  async cancelMany(jobs: JobFilter, options: ManyOptions = {}): Promise<ManyChanged> {
    return changeMany(this.#calls, CANCEL, jobs, options);
  }

  /**
   * Redrives the jobs that a filter means, as `redrive` does one, in steps as `cancelMany`. Those that ended as `error`,
   * unless `status` names others.
   *
   * @throws As `cancelMany`.
   * @example
   * await rowlock.jobs.redriveMany({ kind: 'mail.send', error: { code: 'ETIMEDOUT' } });
   */
  async redriveMany(jobs: JobFilter, options: ManyOptions = {}): Promise<ManyChanged> {
    return changeMany(this.#calls, REDRIVE, jobs, options);
  }

  /**
   * Changes the waiting jobs that a filter means, as `update` does one but for the payload, in steps as `cancelMany`. A job
   * that a run or another transaction has is skipped.
   *
   * @throws As `cancelMany` and `update`.
   * @example
   * await rowlock.jobs.updateMany({ kind: 'mail.send' }, { queue: 'mail' });
   */
  async updateMany(
    jobs: JobFilter,
    changes: Omit<JobChanges, 'payload'>,
    options: ManyOptions = {},
  ): Promise<ManyChanged> {
    if ('payload' in Object(changes))
      throw new InvalidInputError('updateMany() changes no payloads: call update() for each job.');
    const update = changesUpdate(changes, this.#calls.declared.limits);
    return changeMany(this.#calls, updating(update, changesOnRecord(changes)), jobs, options);
  }

  /**
   * Deletes the settled jobs that a filter means, with the records of their runs, in steps as `cancelMany`. Needs the
   * rights of `prune`.
   *
   * @throws As `cancelMany`.
   * @example
   * await rowlock.jobs.deleteMany({ queue: 'mail', status: 'cancelled', settled: { before: new Date('2026-01-01') } });
   */
  async deleteMany(jobs: JobFilter, options: ManyOptions = {}): Promise<ManyChanged> {
    return changeMany(this.#calls, DELETE, jobs, options);
  }

  /**
   * Deletes settled jobs that the rules do not keep, and the records of their runs. Deletes now, in steps of up to
   * 1,000 jobs. Each step is a transaction. A job that the database refuses to delete holds up no other one.
   *
   * @param rules Default: the `retention` of this Rowlock.
   * @returns How many jobs were deleted, or would be.
   * @throws InvalidInputError when there is no rule; the `signal`'s reason; DriverError when all is done but for jobs that
   * the database has refused to delete, as one to which a foreign key leads.
   */
  async prune(rules?: Retention, options: PruneOptions = {}): Promise<number> {
    checkOptions('prune()', options, ['dryRun', 'signal', 'onStep'] satisfies (keyof PruneOptions)[]);
    const { dryRun = false, signal, onStep } = options;
    const limits = rules === undefined ? this.#retention : new RetentionLimits(rules);
    if (!limits.any)
      throw new InvalidInputError("There is no rule to prune by: say what to keep, e.g. { complete: '7d' }.");
    signal?.throwIfAborted();
    let pruned = 0;
    const refused: Refused<JobEntry>[] = [];
    const pruning = dryRun ? counting(this.#calls.driver) : this.#pruning();
    for await (const step of prune(pruning, limits)) {
      pruned += step.pruned;
      refused.push(...(step.refused ?? []));
      onStep?.(step.pruned);
      signal?.throwIfAborted();
    }
    const [first] = refused;
    if (first !== undefined) throw refusalOf(first, refused.length);
    return pruned;
  }

  /**
   * Changes a job's metadata in the database, without a read before. All operations take effect, in their order, or
   * none. Updates at the same time lose nothing of each other.
   *
   * The result is `running`, and nothing is written, if a worker holds the job. A worker also holds the waiting jobs of
   * a key while it runs one of them. A handler changes the metadata of its own job with `tx`.
   *
   * @throws JobNotFoundError; InvalidInputError; UpdateRefusedError when the metadata does not fit, or would have more
   * than 64 KiB; DriverError `LockTimeout` when another transaction has the job for long: call again.
   * @example
   * await rowlock.jobs.updateMetadata(publicId, [increment('opened'), append('log', [{ by: 'Ada' }])]);
   */
  async updateMetadata(
    publicId: string,
    operations: readonly Operation[],
    call: CallOptions<Tx> = {},
  ): Promise<'updated' | 'running'> {
    const update = (isOwn: boolean) => metadataUpdate(operations, isOwn);
    return changeJob(this.#calls, publicId, call, update, () => ({ fields: ['metadata'] }));
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
    const update = () => payloadUpdate(operations);
    return changeJob(this.#calls, publicId, call, update, () => ({ fields: ['payload'] }));
  }

  /**
   * Pauses work: of a queue, of a kind, with a limit, or all. When this resolves, no claim takes a job of it any
   * more, until it is resumed. Jobs that are claimed already go on, and so do calls that enqueue. Takes the place of an
   * earlier pause of the same work.
   *
   * With `tx`, the pause begins when that transaction commits.
   *
   * @throws InvalidInputError
   * @example
   * await rowlock.jobs.pause({ queue: 'mail' }, { until: new Date(Date.now() + 600_000), reason: 'the provider is down' });
   */
  async pause(work: Pausable, options: PauseOptions = {}, call: CallOptions<Tx> = {}): Promise<void> {
    return this.#calls.acting(call, async (tx, note) => {
      const pause = newPause(work, options, this.#calls.by);
      await this.#calls.on(tx).admission.pause(pause);
      const { scope, name, until, reason } = pause;
      const details = { until: until?.toISOString() ?? null, reason };
      await note?.({ action: 'pause', scope, name, details });
    });
  }

  /**
   * Ends a pause, and workers take up its work at once. Does nothing if this work is not paused. Each pause ends by
   * itself: that of `'all'` leaves a queue paused that was paused by its name.
   *
   * @throws InvalidInputError
   */
  async resume(work: Pausable, call: CallOptions<Tx> = {}): Promise<void> {
    return this.#calls.acting(call, async (tx, note) => {
      const target = pauseTarget(work);
      await this.#calls.on(tx).admission.resume(target);
      await note?.({ action: 'resume', ...target, details: {} });
    });
  }

  /** The pauses that have not ended, in the order of their scopes and names, up to 1,000. */
  async pauses(call: CallOptions<Tx> = {}): Promise<readonly PauseView[]> {
    return this.#calls.within(call, async (tx) => this.#calls.on(tx).admission.pauses());
  }

  /** Resolves when all gathered jobs are written, or refused, and every wake-up has been sent. */
  async flush(): Promise<void> {
    await this.#calls.shared.flush();
  }

  /** The verbs that prune, those of an operator on record. */
  #pruning(): Pruned {
    const { driver, operator } = this.#calls;
    if (operator === null) return driver;
    const step = growingEntry(this.#calls, { action: 'delete', details: { byRetention: true } });
    return {
      jobs: driver.jobs,
      history: {
        async prune(jobs, settledMs) {
          const { changed } = await step(async ({ history }) => ({
            changed: await history.prune(jobs, settledMs),
          }));
          return changed;
        },
      },
    };
  }
}
