import type { State } from '@rowlock/core';
import type { JobId, Reclaimed, ReclaimScope } from '@rowlock/core/driver';
import { keepSlots, leaveLimits } from '../../admission/statements/limits.js';
import type { Found } from '../../engine/table.js';
import type { JobRow } from '../../jobs/job-row.js';
import { isAlive } from '../../workers/statements/anchor.js';
import type { Place } from './place.js';

export function lease({ database, tx }: Place, runId: string, jobs: readonly JobId[], forMs: number): void {
  const leasedUntil = database.clock.now() + forMs;
  keepSlots({ database, tx }, runId, leasedUntil);
  for (const id of jobs) {
    for (const { row, value } of database.tables.jobs.findBy(
      'id',
      id,
      tx,
      ({ status }) => status === 'new',
    )) {
      tx.write(row, { ...value, status: 'in-progress', runId, leasedUntil });
    }
  }
}

/** Waits for other locks of these jobs. When the lease may still be committed, waits for the lease as well. */
export async function lockLeased(
  { database, tx }: Place,
  runId: string,
  jobs: readonly JobId[],
  isCommitted: boolean,
): Promise<ReadonlyMap<JobId, State>> {
  const states = new Map<JobId, State>();
  for (const id of jobs) {
    for (const { row } of database.tables.jobs.findBy('id', id, tx)) {
      if (isCommitted && row.seenBy(tx)?.runId !== runId) continue;
      await tx.waitFor(row);
      const job = row.seenBy(tx);
      if (job?.runId !== runId) continue;
      tx.take(row);
      states.set(id, job.status);
    }
  }
  return states;
}

/** Uses SKIP LOCKED. */
export function reclaim(place: Place, { queues, dead, own }: ReclaimScope): Reclaimed {
  const { database, tx } = place;
  const missing = new Set<string>();
  const runIds = new Set<string>();
  let reclaimed = 0;
  for (const { row, value } of leasedIn(place, queues)) {
    const runs = database.tables.runs.findBy('jobId', value.id, tx, (run) => run.runId === value.runId);
    const gone = runs.map((run) => run.value.workerId).filter((workerId) => !isAlive(place, workerId));
    for (const workerId of gone) missing.add(workerId);
    const runId = value.runId ?? '';
    if (runs.some((run) => run.value.workerId === own?.workerId)) runIds.add(runId);
    const isOver = (value.leasedUntil ?? 0) < database.clock.now();
    const isDead = gone.some((workerId) => dead.includes(workerId));
    if (!(isOver || isDead || own?.ended.includes(runId)) || !row.isFreeFor(tx)) continue;
    tx.take(row);
    // Without its run id no run can take the job for its own.
    tx.write(row, { ...value, status: 'new', runId: null });
    leaveLimits(place, [runId]);
    reclaimed += 1;
  }
  return { reclaimed, missing: [...missing], own: [...runIds], refused: [] };
}

export function leasedIn({ database, tx }: Place, queues: readonly string[]): readonly Found<JobRow>[] {
  return queues.flatMap((queue) =>
    database.tables.jobs.findBy('queue', queue, tx, ({ status }) => status === 'in-progress'),
  );
}
