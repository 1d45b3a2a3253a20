import type { Driver } from '../driver/driver.js';
import type { HistoryEntry } from '../driver/history.js';
import type { JobId } from '../job/job.js';
import { isSettled } from '../job/lifecycle.js';
import type { RetentionLimits } from './retention.js';

/** How many jobs one step looks at, and deletes at most: a transaction of some milliseconds. */
const STEP = 1_000;

/** Of a driver, what prunes. */
export type PrunedDriver = Pick<Driver, 'history' | 'prune'>;

/** What one step has done. */
export interface PruneStep {
  /** How many jobs it has deleted. */
  readonly pruned: number;
  /** By age alone: where all that lies before has been looked at, so that a later pass may begin there. */
  readonly line?: JobId;
}

/**
 * One pass through the history in bounded steps, each of which commits by itself. It walks the primary key: an index for it would
 * cost every settlement.
 *
 * @param from Where a pass by age begins. What lies before is left out.
 */
export async function* prune(
  driver: PrunedDriver,
  limits: RetentionLimits,
  from: JobId = 0n,
): AsyncGenerator<PruneStep> {
  if (limits.shortestMs < Number.POSITIVE_INFINITY) yield* pruneOld(driver, limits, from);
  if (limits.counts) yield* pruneMany(driver, limits);
}

/** Oldest first, as far as jobs are old enough that they could be old since their settlement too. */
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

/** Newest first: of each queue the first ones are kept. */
async function* pruneMany(driver: PrunedDriver, limits: RetentionLimits): AsyncGenerator<PruneStep> {
  const kept = new Map<string, number>();
  const isTooMany = ({ queue, status }: HistoryEntry): boolean => {
    if (!isSettled(status)) return false;
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

/** A job that was redriven and settled anew since it was looked at is younger than all of these, and stays. */
async function remove(driver: PrunedDriver, jobs: readonly HistoryEntry[]): Promise<number> {
  if (jobs.length === 0) return 0;
  const settledMs = Math.min(...jobs.map((job) => job.settledMs ?? 0));
  return driver.prune(
    jobs.map(({ id }) => id),
    settledMs,
  );
}
