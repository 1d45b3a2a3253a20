import type { Driver } from '../driver/driver.js';
import type { HistoryEntry } from '../driver/history.js';
import type { JobId } from '../job/job.js';
import { isSettled } from '../job/lifecycle.js';
import type { RetentionLimits } from './retention.js';

/** How many jobs one step reads, and deletes at most: a transaction of some milliseconds. */
const STEP = 1_000;

/** The verbs of a driver that prune. */
export type PrunedDriver = Pick<Driver, 'history' | 'prune'>;

/** Deletes nothing, and counts what it would delete. */
export function counting(driver: Pick<Driver, 'history'>): PrunedDriver {
  return { history: (stretch) => driver.history(stretch), prune: async (jobs) => jobs.length };
}

/** The result of one step. */
export interface PruneStep {
  /** How many jobs it has deleted. */
  readonly pruned: number;
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
  driver: PrunedDriver,
  limits: RetentionLimits,
  from: JobId = 0n,
): AsyncGenerator<PruneStep> {
  if (limits.shortestMs < Number.POSITIVE_INFINITY) yield* pruneOld(driver, limits, from);
  if (limits.counts) yield* pruneMany(driver, limits);
}

/** Oldest first. Stops at the first jobs that are too young to have been settled for long enough. */
async function* pruneOld(
  driver: PrunedDriver,
  limits: RetentionLimits,
  from: JobId,
): AsyncGenerator<PruneStep> {
  for (let line = from; ; ) {
    const page = await driver.history({ beyond: line, newestFirst: false, limit: STEP });
    const old = page.filter(({ createdMs }) => createdMs >= limits.shortestMs);
    line = old.at(-1)?.id ?? line;
    yield {
      pruned: await remove(
        driver,
        old.filter((job) => limits.isOld(job)),
      ),
      line,
    };
    if (old.length < STEP) return;
  }
}

/** Newest first: the first jobs of each queue are kept. */
async function* pruneMany(driver: PrunedDriver, limits: RetentionLimits): AsyncGenerator<PruneStep> {
  const kept = new Map<string, number>();
  const isTooMany = (job: HistoryEntry): boolean => {
    const { queue, status } = job;
    // A job that is too old is deleted by its age, or has been.
    if (!isSettled(status) || limits.isOld(job)) return false;
    const place = (kept.get(queue) ?? 0) + 1;
    kept.set(queue, place);
    return place > limits.keep(queue);
  };
  for (let line: JobId | null = null; ; ) {
    const page: readonly HistoryEntry[] = await driver.history({
      beyond: line,
      newestFirst: true,
      limit: STEP,
    });
    line = page.at(-1)?.id ?? line;
    yield { pruned: await remove(driver, page.filter(isTooMany)) };
    if (page.length < STEP) return;
  }
}

/** A job that was redriven and settled again in the meantime is younger than all of these, so it stays. */
async function remove(driver: PrunedDriver, jobs: readonly HistoryEntry[]): Promise<number> {
  if (jobs.length === 0) return 0;
  const settledMs = Math.min(...jobs.map((job) => job.settledMs ?? 0));
  return driver.prune(
    jobs.map(({ id }) => id),
    settledMs,
  );
}
