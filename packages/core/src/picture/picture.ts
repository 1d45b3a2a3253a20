import { ratesOf, sizesOf } from '../admission/limits-text.js';
import type { WorkerView } from '../driver/anchor.js';
import type { Driver, Uses } from '../driver/driver.js';
import type { FrontJob } from '../driver/front.js';
import type { HoldingRun, NamedJob } from '../driver/situation.js';
import { checkName, checkWhole } from '../input.js';
import { afterOf } from '../stats/served.js';
import { Claimed, type ClaimedState } from './claimed.js';

/** The most jobs of a picture. */
const MOST_JOBS = 10_000;

/** The most limits that are looked at. */
const MOST_NAMES = 1_000;

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

/** What pictures are made with. */
export type PictureParts = Pick<Driver, 'front'> &
  Uses<{ workers: 'list'; admission: 'pauses' | 'limits' | 'takenSlots' | 'rateTimes' }>;

/** @throws InvalidInputError, DriverError */
export async function picture(
  driver: PictureParts,
  { queue, limit = 1_000 }: PictureOptions,
): Promise<Picture> {
  checkName('queue', queue);
  checkWhole('limit', limit, 1, MOST_JOBS);
  const alive = (await driver.workers.list()).filter((worker) => worker.alive);
  const workers = alive.filter(({ queues }) => queues.includes(queue));
  const kinds = [...new Set(workers.flatMap((worker) => Object.keys(worker.kinds)))];
  const after = kinds.map((kind) => [kind, afterOf(kind, alive)] as const);
  const [{ now: at, jobs, more }, pauses] = await Promise.all([
    driver.front({ queue, limit, after: Object.fromEntries(after.filter(([, first]) => first.length > 0)) }),
    driver.admission.pauses(),
  ]);
  const claimed = new Claimed({ queue, now: at, jobs, workers, pauses, ...(await limiting(driver, jobs)) });
  return { queue, at, jobs: inOrder(jobs, at).map((job) => pictured(job, claimed)), more, workers };
}

/** The state of the limits of these jobs. */
async function limiting(driver: PictureParts, jobs: readonly FrontJob[]) {
  const texts = [...new Set(jobs.map(({ limits }) => limits))];
  const names = texts.flatMap(sizesOf).map(({ name }) => name);
  const rated = texts.flatMap(ratesOf).map(({ name }) => name);
  const [slots, times, settings] = await Promise.all([
    names.length === 0 ? [] : driver.admission.takenSlots(bounded(names)),
    rated.length === 0 ? [] : driver.admission.rateTimes(bounded(rated)),
    names.length + rated.length === 0 ? [] : driver.admission.limits(),
  ]);
  return { slots, times, settings };
}

function bounded(names: readonly string[]): readonly string[] {
  return [...new Set(names)].slice(0, MOST_NAMES);
}

function inOrder(jobs: readonly FrontJob[], now: Date): readonly FrontJob[] {
  const timeOf = ({ due, availableAt, run }: FrontJob): number =>
    run !== null || (due && availableAt <= now) ? 0 : availableAt.getTime();
  return jobs.toSorted(
    (one, other) => timeOf(one) - timeOf(other) || one.priority - other.priority || Number(one.id - other.id),
  );
}

function pictured(job: FrontJob, claimed: Claimed): PicturedJob {
  const { publicId, kind, key, priority, availableAt, run } = job;
  return { publicId, kind, key, priority, availableAt, run, ...claimed.stateOf(job) };
}
