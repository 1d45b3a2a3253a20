import type { Driver } from '@rowlock/core';
import type { EarlierRuns, RunStart } from '@rowlock/core/driver';

/**
 * Writes that runs begin, as a worker does: those of several jobs each by itself, the others together. Ends earlier runs of their jobs
 * as crashed before. The caller has the jobs' locks.
 *
 * @returns what is known of the jobs that had runs before
 */
export async function putOnRecord<Tx>(
  driver: Driver<Tx>,
  runs: readonly RunStart[],
): Promise<readonly EarlierRuns[]> {
  const single = runs.filter(({ jobs }) => jobs.length === 1);
  const calls = [single, ...runs.filter((run) => !single.includes(run)).map((run) => [run])];
  const earlier: EarlierRuns[] = [];
  for (const call of calls) if (call.length > 0) earlier.push(...(await startRuns(driver, call)));
  return earlier;
}

async function startRuns<Tx>(driver: Driver<Tx>, runs: readonly RunStart[]): Promise<readonly EarlierRuns[]> {
  const { earlier, unfinished } = await driver.claims.startRuns(runs, []).visible;
  if (unfinished.length === 0) return earlier;
  return (await driver.claims.startRuns(runs, unfinished).visible).earlier;
}
