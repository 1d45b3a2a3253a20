import type { Lanes, Survey } from '@rowlock/core/driver';
import { leasedIn } from './lease.js';
import type { Place } from './place.js';

/** Uses SKIP LOCKED. */
export function survey({ database, tx }: Place, { queues, kinds }: Lanes): Survey {
  const now = database.clock.now();
  const jobs = queues.flatMap((queue) =>
    database.tables.jobs.findBy('queue', queue, tx, ({ status }) => status === 'new'),
  );
  const waiting = jobs.some(
    ({ value }) => value.due && value.availableAt <= now && kinds.includes(value.kind),
  );
  const delayed = jobs.filter(({ value }) => !value.due);
  const later = delayed.filter(({ value }) => value.availableAt > now);
  const promoted = delayed.filter(({ row, value }) => value.availableAt <= now && row.isFreeFor(tx));
  for (const { row, value } of promoted) {
    tx.take(row);
    tx.write(row, { ...value, due: true });
  }
  const next = Math.min(...later.map(({ value }) => value.availableAt));
  return {
    promoted: promoted.length,
    nextDueMs: Number.isFinite(next) ? next - now : null,
    waiting,
    leased: leasedIn({ database, tx }, queues).length > 0,
  };
}
