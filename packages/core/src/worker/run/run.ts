import { deepFreeze } from '../../deep-freeze.js';
import type { Settlement } from '../../driver/claim-session.js';
import { CancelledError } from '../../errors.js';
import type { AnyHandler } from '../../handler/handler.js';
import { retry } from '../../handler/outcome.js';
import type { Job, JobId } from '../../job/job.js';
import { plainError } from '../../job/job-error.js';
import type { History } from '../record/run-records.js';
import { LiveRun } from './live-run.js';
import { noOutcome } from './outcome-of.js';
import { keyOfAll, type RunInfo } from './run-info.js';
import {
  type CountedJob,
  countRuns,
  type Ending,
  type SettlementPolicy,
  settlementFor,
} from './settlement.js';

/**
 * How a run ended for its jobs. `release`: the jobs are given back unchanged. A cancelled job ends as cancelled, unless
 * it is `complete`.
 */
export type Endings = ReadonlyMap<JobId, Ending> | 'release';

type RunPolicy = Pick<SettlementPolicy, 'tookMs' | 'by'>;

/** One execution of a handler over one job, one group, or the groups of several keys, from its claim to its settlement. */
export class Run<Tx> {
  readonly live: LiveRun;
  /** The jobs with the counts of their records. Empty until the run's own record is written. */
  counted: readonly CountedJob[] = [];
  endings: Endings = 'release';
  thrown: { readonly error: unknown } | null = null;
  /** Whether the handler's writes are part of the claim's transaction. */
  hasWritten = false;
  #info: RunInfo | null = null;

  constructor(
    readonly handler: AnyHandler<Tx>,
    readonly jobs: readonly [Job, ...Job[]],
    runId: string,
  ) {
    this.live = new LiveRun(runId, jobs, handler.claim === 'lease');
  }

  get info(): RunInfo {
    if (this.#info !== null) return this.#info;
    // The job's queue, as its handler may have moved to another queue since.
    const [{ queue, attempt: uncounted }] = this.jobs;
    const jobs = this.jobs.map(({ publicId }) => publicId);
    const attempt = (this.counted[0]?.attemptsMade ?? uncounted) + 1;
    const { runId } = this.live;
    const { kind } = this.handler;
    // All listeners share it.
    this.#info = deepFreeze({ runId, queue, kind, key: keyOfAll(this.jobs), jobs, attempt });
    return this.#info;
  }

  count(history: History): void {
    this.counted = this.jobs.map((job) =>
      countRuns(job, history.get(job.id) ?? { crashes: job.crashes, earlierRuns: 0 }),
    );
  }

  /** Whether a job has a crash that its row does not count yet. */
  get hasNewCrash(): boolean {
    return this.counted.some(({ crashes, crashesSeen }) => crashesSeen > crashes);
  }

  get isGivenBack(): boolean {
    return this.endings === 'release' && this.live.cancelled.size === 0;
  }

  settlements(policy: RunPolicy): readonly Settlement[] {
    return this.#settlements(policy, (job) =>
      this.endings === 'release' ? { event: 'release' } : (this.endings.get(job.id) ?? retry(noOutcome(job))),
    );
  }

  /** The row changes if `settlements` cannot be written: retries, unless the handler threw. Its writes are undone then. */
  retries(policy: RunPolicy, error: unknown): readonly Settlement[] {
    return this.thrown === null ? this.#settlements(policy, () => retry(error)) : this.settlements(policy);
  }

  /**
   * A row change that every database can hold, in place of one that this database has refused. A job whose output it
   * cannot hold is retried. Errors are reduced to a code and a message in ASCII.
   */
  reduced(policy: RunPolicy, settlement: Settlement, refusal: unknown): Settlement {
    const job = this.counted.find(({ id }) => id === settlement.id);
    const ended =
      settlement.event === 'complete' && job !== undefined
        ? settlementFor(job, retry(refusal), this.#full(policy))
        : settlement;
    return { ...ended, error: ended.error && plainError(ended.error) };
  }

  #settlements(policy: RunPolicy, ending: (job: Job) => Ending): readonly Settlement[] {
    const full = this.#full(policy);
    return this.counted.map((job) => settlementFor(job, this.#unlessCancelled(job, ending(job)), full));
  }

  #full(policy: RunPolicy): SettlementPolicy {
    return { ...policy, runId: this.live.runId, backoff: this.handler.backoff };
  }

  #unlessCancelled({ publicId }: Job, ending: Ending): Ending {
    if (ending.event === 'complete' || !this.live.cancelled.has(publicId)) return ending;
    return { event: 'abandon', error: new CancelledError(publicId) };
  }
}
