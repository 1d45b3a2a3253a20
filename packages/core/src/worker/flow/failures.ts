/** The jobs that follow from failures: `onFailed` of a handler. */

import type { ClaimSession, Settlement } from '../../driver/claim-session.js';
import { afterFailure } from '../../handler/on-failed.js';
import type { NewJob } from '../../job/job.js';
import type { Run } from '../run/run.js';
import type { Flow } from './context.js';
import { isRefusal } from './settle-each.js';

type Settled<Tx> = Pick<ClaimSession<Tx>, 'renew' | 'handle' | 'undo'>;

/** Adds the jobs that follow to the settlement's own transaction. @throws DriverError that may pass */
export type Follow<Tx> = (settled: Settled<Tx>) => Promise<void>;

export function followOf<Tx>(
  flow: Flow<Tx>,
  runs: readonly Run<Tx>[],
  settlements: readonly Settlement[],
): Follow<Tx> | undefined {
  const { failures } = flow.calls;
  if (!runs.some(({ handler }) => failures.has(handler.kind))) return undefined;
  const settled = new Map(settlements.map((settlement) => [settlement.id, settlement]));
  const jobs = runs.flatMap((run) =>
    run.jobs.flatMap((job): readonly NewJob[] => {
      const { event, attempt, error = null, by = '' } = settled.get(job.id) ?? {};
      const common = failures.get(run.handler.kind);
      if (common === undefined || error === null || (event !== 'fail' && event !== 'exhaust')) return [];
      return [afterFailure(common, job, { attempts: attempt ?? 0, error, by })];
    }),
  );
  return jobs.length === 0 ? undefined : (tx) => follow(flow, tx, jobs);
}

/** What the database refuses is left out, and logged: the failure itself stands. */
async function follow<Tx>(flow: Flow<Tx>, settled: Settled<Tx>, jobs: readonly NewJob[]): Promise<void> {
  const wakeUps = [...new Set(jobs.map(({ queue }) => queue))].map((queue) => ({ queue }));
  await settled.renew();
  try {
    await flow.driver.join(settled.handle).jobs.enqueue(jobs, wakeUps);
    // Also what the commit would check, where the job can still be left out.
    await settled.renew();
  } catch (error) {
    if (!isRefusal(error)) throw error;
    await settled.undo();
    if (jobs.length > 1) for (const job of jobs) await follow(flow, settled, [job]);
    else
      flow.log.error(
        { err: error, kind: jobs[0]?.kind, failed: Object(jobs[0]?.payload).publicId },
        'the database refuses the job of onFailed, so the failed job stands without it',
      );
  }
}
