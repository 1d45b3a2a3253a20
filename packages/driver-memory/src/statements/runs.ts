import type { RunRef, RunStart, RunStarted } from '@rowlock/core/driver';
import type { RunRow } from '../rows.js';
import type { Found } from '../table.js';
import type { Place } from './place.js';

export async function startRuns(place: Place, starts: readonly RunStart[]): Promise<readonly RunStarted[]> {
  const { database, tx } = place;
  const { runs } = database.tables;
  const started: RunStarted[] = [];
  for (const { runId, workerId, jobs, confirm } of starts) {
    for (const id of jobs) {
      const unfinished = runs.findBy('jobId', id, tx, ({ finishedAt }) => finishedAt === null);
      if (unfinished.length > 0) await confirm?.();
      await endRuns(place, unfinished, 'reclaim', (run) => run.finishedAt === null);
      const earlier = runs.findBy('jobId', id, tx);
      const crashes = earlier.filter(({ value }) => value.outcome === 'reclaim').length;
      if (earlier.length > 0) started.push({ id, earlierRuns: earlier.length, crashes });
      const startedAt = database.clock.now();
      const fresh = { runId, workerId, jobId: id, startedAt, finishedAt: null, outcome: null };
      runs.insert(tx, () => ({ ...fresh, progress: 'null' }));
    }
  }
  return started;
}

export async function noteProgress(place: Place, run: RunRef, progress: string): Promise<void> {
  const { tx } = place;
  for (const { row } of recordsOf(place, run)) {
    await tx.lock(row);
    const record = row.seenBy(tx);
    if (record !== undefined && record.finishedAt === null) tx.write(row, { ...record, progress });
  }
}

export async function release(place: Place, run: RunRef): Promise<void> {
  await endRuns(place, recordsOf(place, run), 'release');
}

export function recordsOf({ database, tx }: Place, { runId, jobs }: RunRef): readonly Found<RunRow>[] {
  return database.tables.runs.findBy('runId', runId, tx, ({ jobId }) => jobs.includes(jobId));
}

/** Each when its turn has come, if it is then still to be ended. */
export async function endRuns(
  { database, tx }: Place,
  found: readonly Found<RunRow>[],
  outcome: string,
  isToEnd: (run: RunRow) => boolean = () => true,
): Promise<void> {
  for (const { row } of found) {
    await tx.lock(row);
    const run = row.seenBy(tx);
    if (run === undefined || !isToEnd(run)) continue;
    tx.write(row, { ...run, finishedAt: database.clock.now(), outcome });
  }
}
