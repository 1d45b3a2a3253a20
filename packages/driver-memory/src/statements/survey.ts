import type { Lanes, Survey } from '@rowlock/core/driver';
import { leasedIn } from './lease.js';
import type { Place } from './place.js';

/** A locked job counts too. */
export function dueQueues(place: Place, { queues, kinds }: Lanes): readonly string[] {
  const now = place.database.clock.now();
  return queues.filter((queue) =>
    newIn(place, queue).some(
      ({ value }) => value.due && value.availableAt <= now && kinds.includes(value.kind),
    ),
  );
}

/** Uses SKIP LOCKED. */
export function survey({ database, tx }: Place, { queues, kinds }: Lanes): Survey {
  const now = database.clock.now();
  const waiting = dueQueues({ database, tx }, { queues, kinds }).length > 0;
  const jobs = queues.flatMap((queue) => newIn({ database, tx }, queue));
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

function newIn({ database, tx }: Place, queue: string) {
  return database.tables.jobs.findBy('queue', queue, tx, ({ status }) => status === 'new');
}
