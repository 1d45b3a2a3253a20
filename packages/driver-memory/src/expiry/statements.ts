import type { JobError } from '@rowlock/core';
import { type ExpiryLook, MOST_EXPIRED, type NewJob } from '@rowlock/core/driver';
import type { Place } from '../claims/statements/place.js';

/** Notes when a job is of no use any more. */
export function noteExpiry({ database, tx }: Place, publicId: string, { expires }: NewJob): void {
  if (expires === undefined) return;
  const expiresAt = 'at' in expires ? expires.at.getTime() : database.clock.now() + expires.inMs;
  database.tables.expiries.insert(tx, () => ({ publicId, expiresAt }));
}

/** Milliseconds until the first time is over. */
export function untilExpiry({ database, tx }: Place): number | null {
  const times = database.tables.expiries.find(tx, () => true).map(({ value }) => value.expiresAt);
  return times.length === 0 ? null : Math.min(...times) - database.clock.now();
}

export function expired({ database, tx }: Place, look: ExpiryLook): readonly string[] {
  const { expiries, jobs } = database.tables;
  const over = expiries
    .find(tx, ({ expiresAt }) => expiresAt <= database.clock.now())
    .map(({ value }) => value)
    .toSorted((one, other) => one.expiresAt - other.expiresAt)
    .map(({ publicId }) => publicId);
  if ('of' in look) return over.filter((publicId) => look.of.includes(publicId));
  const isLeased = (publicId: string): boolean =>
    jobs.findBy('publicId', publicId, tx, ({ status }) => status === 'in-progress').length > 0;
  return over
    .filter((publicId) => !look.except.includes(publicId) && !isLeased(publicId))
    .slice(0, MOST_EXPIRED);
}

/** Uses SKIP LOCKED. */
export async function cancelExpired(
  { database, tx }: Place,
  publicIds: readonly string[],
  error: JobError,
  by: string,
): Promise<readonly string[]> {
  const { expiries, jobs } = database.tables;
  const cancelled: string[] = [];
  for (const publicId of publicIds) {
    const [found] = jobs.findBy('publicId', publicId, tx);
    if (found?.row.isFreeFor(tx) === false || found?.value.status === 'in-progress') continue;
    if (found?.value.status === 'new' && found.value.redrives === 0) {
      tx.take(found.row);
      const finishedAt = database.clock.now();
      tx.write(found.row, {
        ...found.value,
        status: 'cancelled',
        error: JSON.stringify(error),
        finishedAt,
        finishedBy: by,
      });
      cancelled.push(publicId);
    }
    for (const { row } of expiries.findBy('publicId', publicId, tx)) {
      await tx.lock(row);
      tx.write(row, undefined);
    }
  }
  return cancelled;
}
