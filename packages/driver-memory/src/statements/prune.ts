import type { HistoryEntry, JobId, Stretch } from '@rowlock/core/driver';
import type { Place } from './place.js';

export function history(
  { database, tx }: Place,
  { beyond, newestFirst, limit }: Stretch,
): readonly HistoryEntry[] {
  const now = database.clock.now();
  const isBeyond = (id: JobId): boolean => beyond === null || (newestFirst ? id < beyond : id > beyond);
  const found = database.tables.jobs.find(tx, ({ id }) => isBeyond(id));
  const ordered = newestFirst ? found.toReversed() : found;
  return ordered.slice(0, limit).map(({ value: { id, queue, status, createdAt, finishedAt } }) => ({
    id,
    queue,
    status,
    createdMs: Math.floor(now - createdAt),
    settledMs: finishedAt === null ? null : Math.floor(now - finishedAt),
  }));
}

/** Uses SKIP LOCKED. */
export async function prune(
  { database, tx }: Place,
  jobs: readonly JobId[],
  settledMs: number,
): Promise<number> {
  const { tables, clock } = database;
  let pruned = 0;
  for (const id of jobs) {
    const settledBefore = clock.now() - settledMs;
    const found = tables.jobs.findBy(
      'id',
      id,
      tx,
      ({ finishedAt }, row) => finishedAt !== null && finishedAt <= settledBefore && row.isFreeFor(tx),
    );
    for (const { row } of found) {
      tx.take(row);
      tx.write(row, undefined);
      pruned += 1;
      for (const run of tables.runs.findBy('jobId', id, tx)) {
        await tx.lock(run.row);
        tx.write(run.row, undefined);
      }
    }
  }
  return pruned;
}

export async function takePruneTurn(
  { database, tx }: Place,
  workerId: string,
  forMs: number,
): Promise<boolean> {
  const { workers: all } = database.tables;
  const now = database.clock.now();
  const others = all.find(tx, ({ id, prunesUntil }) => id !== workerId && (prunesUntil ?? 0) > now);
  const [own] = all.findBy('id', workerId, tx);
  if (others.length > 0 || own === undefined) return false;
  await tx.lock(own.row);
  tx.write(own.row, { ...own.value, prunesUntil: now + forMs });
  return true;
}
