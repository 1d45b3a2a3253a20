import type { WorkerView } from '../driver/anchor.js';
import type { HoldingRun, JobFacts, NamedJob } from '../driver/insight.js';
import { checkName, checkWhole } from '../input.js';
import { checkOptions } from '../known-options.js';
import type { Cause } from './reason.js';
import { reasonsOf } from './reasons.js';
import { type Looking, lookAt, type Surroundings } from './surroundings.js';

/** The most jobs of a picture. */
const MOST_JOBS = 10_000;

export interface PictureOptions {
  readonly queue: string;
  /** The most jobs, 1 to 10,000. Default 1,000. */
  readonly limit?: number;
}

/** The jobs at the front of a queue, and the workers that serve it. */
export interface Picture {
  readonly queue: string;
  /** When it was so, by the database's clock. */
  readonly at: Date;
  /** Those that run or are due, in the order of the claim. Behind these, delayed ones in the order of their times. */
  readonly jobs: readonly PicturedJob[];
  /** Whether the queue may have more jobs than these. */
  readonly more: boolean;
  /** The live workers that serve the queue. */
  readonly workers: readonly WorkerView[];
}

/** A job as the next claim meets it. */
export interface PicturedJob extends NamedJob, ClaimedState {
  readonly key: string | null;
  /** Lower runs sooner. */
  readonly priority: number;
  readonly availableAt: Date;
  /** The run that has the job. Jobs with one `runId` are one run. Null unless it runs. */
  readonly run: HoldingRun | null;
}

/** A job's state as the next claim meets it. The words are those of `explain`. */
export interface ClaimedState {
  /**
   * `running`: a run has it. `due`: nothing is in its way. `key`: a run has another job of its key. `earlier`: another
   * job of its key goes first. The others are why no claim takes it. Of several the first of this list counts: `follows`,
   * `delayed`, `paused`, `unserved`, `key`, `earlier`, `after`, `limit`, `starts`.
   */
  readonly state: Exclude<Cause['reason'], 'settled' | 'backlog'> | 'due';
  /** Of `follows`, `key`, `earlier` and `after`: the public id of the other job. Of `limit` and `starts`: the name. Otherwise null. */
  readonly waitsFor: string | null;
}

/** @throws InvalidInputError, DriverError */
export async function picture(driver: Looking, options: PictureOptions): Promise<Picture> {
  checkOptions('picture()', options, ['queue', 'limit'] satisfies (keyof PictureOptions)[]);
  const { queue, limit = 1_000 } = options;
  checkName('queue', queue);
  checkWhole('limit', limit, 1, MOST_JOBS);
  const around = await lookAt(driver, { queue, limit });
  const { now, more } = around;
  const jobs = inOrder(around.jobs, now).map((job) => pictured(job, around));
  const workers = around.workers.filter(({ queues }) => queues.includes(queue));
  return { queue, at: now, jobs, more, workers };
}

function inOrder(jobs: readonly JobFacts[], now: Date): readonly JobFacts[] {
  const timeOf = ({ due, availableAt, run }: JobFacts): number =>
    run !== null || (due && availableAt <= now) ? 0 : availableAt.getTime();
  return jobs.toSorted(
    (one, other) => timeOf(one) - timeOf(other) || one.priority - other.priority || Number(one.id - other.id),
  );
}

function pictured(job: JobFacts, around: Surroundings): PicturedJob {
  const { publicId, kind, key, priority, availableAt, run } = job;
  return { publicId, kind, key, priority, availableAt, run, ...stateOf(job, around) };
}

/** The first of its reasons, if that is more than the order of the queue. */
function stateOf(job: JobFacts, around: Surroundings): ClaimedState {
  const [cause] = reasonsOf(job, around);
  if (cause === undefined || cause.reason === 'settled' || cause.reason === 'backlog')
    return { state: 'due', waitsFor: null };
  return { state: cause.reason, waitsFor: waitsForOf(cause) };
}

function waitsForOf(cause: Cause): string | null {
  switch (cause.reason) {
    case 'follows':
      return cause.jobs[0]?.publicId ?? null;
    case 'key':
    case 'earlier':
    case 'after':
      return cause.job.publicId;
    case 'limit':
    case 'starts':
      return cause.name;
    default:
      return null;
  }
}
