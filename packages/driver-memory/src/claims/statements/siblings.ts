import {
  beforePaused,
  type DependencyQuestion,
  type Entities,
  isSettled,
  type Job,
  type JobId,
} from '@rowlock/core/driver';
import { pausesOf } from '../../admission/statements/pauses.js';
import { toJob } from '../../engine/rows.js';
import type { JobRow } from '../../jobs/job-row.js';
import type { Place } from './place.js';

/** Whether a job of a queue is available, or in progress. */
function runsNow({ queue, status, availableAt }: JobRow, of: string, now: number): boolean {
  return queue === of && (status === 'in-progress' || (status === 'new' && availableAt <= now));
}

/** Uses NOWAIT. */
export function lockSiblings(
  { database, tx }: Place,
  { queue, keys }: Entities,
  limit: number,
): readonly Job[] {
  const now = database.clock.now();
  const found = keys.map((key) =>
    database.tables.jobs.findBy('key', key, tx, (job) => runsNow(job, queue, now)),
  );
  tx.takeNow(found.flat().map(({ row }) => row));
  const paused = pausesOf({ database, tx });
  return found.flatMap((ofKey) => {
    const jobs = ofKey.map(({ value }) => value);
    const inProgress = jobs.filter(({ status }) => status === 'in-progress');
    const others = jobs.filter(({ status }) => status !== 'in-progress');
    const isPaused = (job: JobRow): boolean => paused.queue(job.queue) || paused.kind(job.kind);
    return beforePaused([...inProgress, ...others], isPaused)
      .slice(0, limit)
      .map((job) => toJob(job, now));
  });
}

/** Reads without a lock: a job whose handler runs is outstanding until the commit. */
export function firstOutstanding(
  { database, tx }: Place,
  { key, kinds, before, except }: DependencyQuestion,
): JobId | undefined {
  const [first] = database.tables.jobs.findBy(
    'key',
    key,
    tx,
    (job) =>
      job.id < before && !isSettled(job.status) && kinds.includes(job.kind) && !except.includes(job.id),
  );
  return first?.value.id;
}
