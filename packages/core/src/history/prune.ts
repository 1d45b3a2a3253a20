import { apart, type Refused, refusalOfMany } from '../driver/apart.js';
import type { Uses } from '../driver/driver.js';
import type { DriverError } from '../driver/driver-error.js';
import type { JobEntry } from '../driver/job-filter.js';
import type { JobPage } from '../driver/jobs.js';
import type { JobId } from '../job/job.js';
import { isSettled } from '../job/lifecycle.js';
import type { RetentionLimits } from './retention.js';

/** How many jobs one step reads, and deletes at most: a transaction of some milliseconds. As many entries of the audit. */
const STEP = 1_000;

/** How old slots of limits are before they are deleted, in milliseconds. A limit in use makes its slots anew as often. */
const SLOTS_MS = 3_600_000;

export type Pruned = Uses<{ jobs: 'entries'; history: 'prune' }>;

/** Deletes nothing, and counts what it would delete. */
export function counting({ jobs }: Pick<Pruned, 'jobs'>): Pruned {
  return { jobs, history: { prune: async (some) => some.length } };
}

export interface PruneStep {
  readonly pruned: number;
  /** The jobs that the database refuses to delete. A later pass comes to them again. Default: none. */
  readonly refused?: readonly Refused<JobEntry>[];
  /** The limits whose slots the database refuses to delete. Default: none. */
  readonly slots?: readonly Refused<string>[];
  /** In a pass by age: all jobs up to this one have been checked. A later pass may begin here. */
  readonly line?: JobId;
}

/**
 * One pass through the history in limited steps. Each step commits by itself. The pass walks the primary key: another
 * index would cost every settlement.
 *
 * @param from Where a pass by age begins. Earlier jobs are skipped.
 */
export async function* prune(
  driver: Pruned,
  limits: RetentionLimits,
  from: JobId = 0n,
): AsyncGenerator<PruneStep> {
  if (limits.shortestMs < Number.POSITIVE_INFINITY) yield* pruneOld(driver, limits, from);
  if (limits.counts) yield* pruneMany(driver, limits);
}

/** Oldest first. Stops at the first jobs that are too young to have been settled for long enough. */
async function* pruneOld(driver: Pruned, limits: RetentionLimits, from: JobId): AsyncGenerator<PruneStep> {
  for (let line = from; ; ) {
    const next = { order: 'oldest', limit: STEP, before: null, after: line } as const;
    const { jobs } = await driver.jobs.entries({}, next);
    const old = jobs.filter(({ createdMs }) => createdMs >= limits.shortestMs);
    line = old.at(-1)?.id ?? line;
    const removed = await remove(
      driver,
      old.filter((job) => limits.isOld(job)),
    );
    yield { ...removed, line };
    if (old.length < STEP) return;
  }
}

/** Newest first: the first jobs of each queue are kept. */
async function* pruneMany(driver: Pruned, limits: RetentionLimits): AsyncGenerator<PruneStep> {
  const kept = new Map<string, number>();
  const isTooMany = (job: JobEntry): boolean => {
    const { queue, status } = job;
    // A job that is too old is deleted by its age, or has been.
    if (!isSettled(status) || limits.isOld(job)) return false;
    const place = (kept.get(queue) ?? 0) + 1;
    kept.set(queue, place);
    return place > limits.keep(queue);
  };
  for (let line: JobId | null = null; ; ) {
    const { jobs }: JobPage<JobEntry> = await driver.jobs.entries({}, { limit: STEP, before: line });
    line = jobs.at(-1)?.id ?? line;
    yield await remove(driver, jobs.filter(isTooMany));
    if (jobs.length < STEP) return;
  }
}

/** A job that was redriven and settled again in the meantime is younger than all of these, so it stays. */
async function remove(
  { history }: Pruned,
  jobs: readonly JobEntry[],
): Promise<Pick<PruneStep, 'pruned' | 'refused'>> {
  const settledMs = Math.min(...jobs.map((job) => job.settledMs ?? 0));
  const { answers, refused } = await apart(jobs, (some) =>
    history.prune(
      some.map(({ id }) => id),
      settledMs,
    ),
  );
  return { pruned: answers.reduce((sum, pruned) => sum + pruned, 0), refused };
}

/**
 * One pass through the slots of limits, in limited steps. A limit for each tenant would leave the slots of all tenants
 * that there ever were.
 */
export async function* pruneSlots({ admission }: Uses<{ admission: 'prune' }>): AsyncGenerator<PruneStep> {
  for (let beyond: string | null = ''; beyond !== null; ) {
    const { last, refused } = await admission.prune(beyond, SLOTS_MS);
    beyond = last;
    yield { pruned: 0, slots: refused };
  }
}

/** Deletes what operators have done longer ago, the oldest first, in limited steps. */
export async function* pruneAudit(
  { audit }: Uses<{ audit: 'prune' }>,
  ageMs: number,
): AsyncGenerator<PruneStep> {
  if (ageMs === Number.POSITIVE_INFINITY) return;
  while ((await audit.prune(ageMs)) === STEP) yield { pruned: 0 };
}

/** What to tell of jobs that were refused, by the first of them. */
export function refusalOf({ member, error }: Refused<JobEntry>, count: number): DriverError {
  return refusalOfMany(
    count,
    `the one with the id ${member.id}, of the queue ${JSON.stringify(member.queue)}`,
    error,
  );
}
