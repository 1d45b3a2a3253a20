import type { Settlement } from '../../driver/claim-session.js';
import { CancelledError } from '../../errors.js';
import type { AnyHandler } from '../../handler/handler.js';
import { retry } from '../../handler/outcome.js';
import type { Job, JobId } from '../../job/job.js';
import type { History } from '../record/run-records.js';
import { LiveRun } from './live-run.js';
import { noOutcome } from './outcome-of.js';
import type { RunInfo } from './run-info.js';
import {
  type CountedJob,
  countRuns,
  type Ending,
  type SettlementPolicy,
  settlementFor,
} from './settlement.js';

/** How a run ended for its jobs; `release`: they are given back as they were. Of a cancelled job only `complete` counts. */
export type Endings = ReadonlyMap<JobId, Ending> | 'release';

/** What all runs of a transaction are settled with. */
type RunPolicy = Pick<SettlementPolicy, 'tookMs' | 'by'>;

/** One execution of a handler over one job or one group, from its claim to its settlement. */
export class Run<Tx> {
  readonly live: LiveRun;
  /** The jobs with what their records say; known when the run's own record is written. */
  counted: readonly CountedJob[] = [];
  endings: Endings = 'release';
  /** What its handler threw, if it did. */
  thrown: { readonly error: unknown } | null = null;
  #info: RunInfo | null = null;

  /** @param runId Runs that share a transaction share it. */
  constructor(
    readonly handler: AnyHandler<Tx>,
    readonly jobs: readonly [Job, ...Job[]],
    runId: string,
  ) {
    this.live = new LiveRun(runId, jobs, handler.claim === 'lease');
  }

  /** Made when somebody is told of it. */
  get info(): RunInfo {
    this.#info ??= this.#toInfo();
    return this.#info;
  }

  #toInfo(): RunInfo {
    // The queue is not always the handler's, which may have been moved to another one since.
    const [{ queue, key }] = this.jobs;
    const jobs = this.jobs.map(({ publicId }) => publicId);
    return { runId: this.live.runId, queue, kind: this.handler.kind, key, jobs };
  }

  /** Takes in how often its jobs crashed before. */
  count(history: History): void {
    this.counted = this.jobs.map((job) =>
      countRuns(job, history.get(job.id) ?? { crashes: job.crashes, earlierRuns: 0 }),
    );
  }

  /** Whether a crash has come to light that its jobs' rows do not count yet. */
  get hasNewCrash(): boolean {
    return this.counted.some(({ crashes, crashesSeen }) => crashesSeen > crashes);
  }

  /** Whether all its jobs go back as they were. */
  get isGivenBack(): boolean {
    return this.endings === 'release' && this.live.cancelled.size === 0;
  }

  /** The row changes that follow from how it ended. */
  settlements(policy: RunPolicy): readonly Settlement[] {
    return this.#settlements(policy, (job) =>
      this.endings === 'release' ? { event: 'release' } : (this.endings.get(job.id) ?? retry(noOutcome(job))),
    );
  }

  /** What is written instead when those cannot be. */
  retries(policy: RunPolicy, error: unknown): readonly Settlement[] {
    return this.#settlements(policy, () => retry(error));
  }

  #settlements(policy: RunPolicy, ending: (job: Job) => Ending): readonly Settlement[] {
    const full = { ...policy, runId: this.live.runId, backoff: this.handler.backoff };
    return this.counted.map((job) => settlementFor(job, this.#unlessCancelled(job, ending(job)), full));
  }

  #unlessCancelled({ publicId }: Job, ending: Ending): Ending {
    if (ending.event === 'complete' || !this.live.cancelled.has(publicId)) return ending;
    return { event: 'abandon', error: new CancelledError(publicId) };
  }
}
