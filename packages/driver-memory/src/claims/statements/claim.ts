import { type ClaimCriteria, type Job, NO_LIMITS } from '@rowlock/core/driver';
import { enterLimits } from '../../admission/statements/limits.js';
import { pausesOf } from '../../admission/statements/pauses.js';
import { toJob } from '../../engine/rows.js';
import type { JobRow } from '../../jobs/job-row.js';
import type { Place } from './place.js';

/** Whether a job is in the claim's index among those with these limits, and its time has come. */
function isClaimable(job: JobRow, limits: string, now: number): boolean {
  return job.limits === limits && job.status === 'new' && job.due && job.availableAt <= now;
}

/** Uses SKIP LOCKED. Takes no slot of a limit where no job is free. Rows come in the order of their ids, which the sort by priority keeps. */
export function claim({ database, tx }: Place, criteria: ClaimCriteria): readonly Job[] {
  const { queue, kinds, line, busy, limit, limits = NO_LIMITS } = criteria;
  const now = database.clock.now();
  const paused = pausesOf({ database, tx });
  const passedOver = new Set<string | null>(busy);
  const found = database.tables.jobs.findBy(
    'queue',
    queue,
    tx,
    (job, row) =>
      isClaimable(job, limits, now) &&
      (job.priority > line.priority || (job.priority === line.priority && job.id > line.id)) &&
      kinds.includes(job.kind) &&
      !passedOver.has(job.key) &&
      !paused.job(job) &&
      row.isFreeFor(tx),
  );
  const first = found.toSorted((one, other) => one.value.priority - other.value.priority).slice(0, limit);
  for (const { row } of first) tx.take(row);
  if (first.length > 0) enterLimits({ database, tx }, limits);
  return first.map(({ value }) => toJob(value, now));
}
