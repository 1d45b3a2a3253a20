import type { EarlierRuns, JobId, RunRef, RunStart, RunsStarted } from '@rowlock/core/driver';
import type { RunRow } from '../../engine/rows.js';
import type { Found } from '../../engine/table.js';
import type { Place } from './place.js';

export async function startRuns(
  place: Place,
  starts: readonly RunStart[],
  crashed: readonly string[],
): Promise<RunsStarted> {
  const { database, tx } = place;
  const { runs } = database.tables;
  const ids = starts.flatMap(({ jobs }) => jobs.map(({ id }) => id));
  if (crashed.length > 0) await endCrashed(place, crashed, ids);
  const found = unfinished(place, ids);
  if (found.length > 0)
    return { earlier: [], unfinished: [...new Set(found.map(({ value }) => value.runId))] };
  const earlier: EarlierRuns[] = [];
  const startedAt = database.clock.now();
  for (const { runId, workerId, jobs } of starts) {
    for (const { id: jobId } of jobs) {
      const before = runs.findBy('jobId', jobId, tx);
      const crashes = before.filter(({ value }) => value.outcome === 'reclaim').length;
      if (before.length > 0) earlier.push({ id: jobId, earlierRuns: before.length, crashes });
      const fresh = { runId, workerId, jobId, startedAt, finishedAt: null, outcome: null, error: null };
      runs.insert(tx, () => ({ ...fresh, progress: 'null' }));
    }
  }
  return { earlier, unfinished: [] };
}

async function endCrashed(place: Place, runIds: readonly string[], jobs: readonly JobId[]): Promise<void> {
  const found = unfinished(place, jobs).filter(({ value }) => runIds.includes(value.runId));
  await endRuns(place, found, { outcome: 'reclaim' }, ({ finishedAt }) => finishedAt === null);
}

function unfinished({ database, tx }: Place, jobs: readonly JobId[]): readonly Found<RunRow>[] {
  return jobs.flatMap((id) =>
    database.tables.runs.findBy('jobId', id, tx, ({ finishedAt }) => finishedAt === null),
  );
}

export async function noteProgress(place: Place, run: RunRef, progress: string): Promise<void> {
  const { tx } = place;
  for (const { row } of recordsOf(place, run)) {
    await tx.lock(row);
    const record = row.seenBy(tx);
    if (record !== undefined && record.finishedAt === null) tx.write(row, { ...record, progress });
  }
}

/** @param isHeld Whether the claim holds the jobs. Otherwise others may have ended the records rightly. */
export async function release(place: Place, run: RunRef, isHeld: boolean): Promise<void> {
  const found = recordsOf(place, run);
  await endRuns(place, found, { outcome: 'release' }, ({ finishedAt }) => isHeld || finishedAt === null);
}

export function recordsOf({ database, tx }: Place, { runId, jobs }: RunRef): readonly Found<RunRow>[] {
  return database.tables.runs.findBy('runId', runId, tx, ({ jobId }) => jobs.includes(jobId));
}

/** Ends each run when its lock is free, unless the run has ended meanwhile. */
export async function endRuns(
  { database, tx }: Place,
  found: readonly Found<RunRow>[],
  end: Pick<RunRow, 'outcome'> & Partial<Pick<RunRow, 'error'>>,
  isToEnd: (run: RunRow) => boolean = () => true,
): Promise<void> {
  for (const { row } of found) {
    await tx.lock(row);
    const run = row.seenBy(tx);
    if (run === undefined || !isToEnd(run)) continue;
    tx.write(row, { ...run, ...end, finishedAt: database.clock.now() });
  }
}
