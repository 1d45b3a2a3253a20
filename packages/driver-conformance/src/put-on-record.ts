import type { Driver } from '@rowlock/core';
import type { EarlierRuns, RunStart } from '@rowlock/core/driver';

/**
 * Writes that runs begin, as a worker does: earlier runs of their jobs that have not ended are ended as crashed before it. The caller
 * has the jobs' locks.
 *
 * @returns what is known of the jobs that had runs before
 */
export async function putOnRecord<Tx>(
  driver: Driver<Tx>,
  runs: readonly RunStart[],
): Promise<readonly EarlierRuns[]> {
  const { earlier, unfinished } = await driver.startRuns(runs).visible;
  if (unfinished.length === 0) return earlier;
  await driver.endCrashed(
    unfinished,
    runs.flatMap(({ jobs }) => jobs),
  );
  return (await driver.startRuns(runs).visible).earlier;
}
