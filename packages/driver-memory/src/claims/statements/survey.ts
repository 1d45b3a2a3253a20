import { type Lanes, NO_LIMITS, type Survey } from '@rowlock/core/driver';
import { limitedParts } from '../../admission/statements/limits.js';
import { pausesOf } from '../../admission/statements/pauses.js';
import { untilExpiry } from '../../expiry/statements.js';
import type { JobRow } from '../../jobs/job-row.js';
import { untilFirst } from '../../schedules/statements.js';
import { leasedIn } from './lease.js';
import type { Place } from './place.js';

/** A locked job counts too. */
export function dueQueues(place: Place, { queues, kinds }: Lanes): readonly string[] {
  return queues.filter((queue) => dueIn(place, queue, kinds).some(({ limits }) => limits === NO_LIMITS));
}

function dueIn(place: Place, queue: string, kinds: readonly string[]): readonly JobRow[] {
  const now = place.database.clock.now();
  const paused = pausesOf(place);
  return newIn(place, queue)
    .map(({ value }) => value)
    .filter(({ due, availableAt, kind }) => due && availableAt <= now && kinds.includes(kind))
    .filter((job) => !paused.job(job));
}

/** Uses SKIP LOCKED. */
export function survey({ database, tx }: Place, { queues, kinds }: Lanes): Survey {
  const now = database.clock.now();
  const waiting = queues.flatMap((queue) => dueIn({ database, tx }, queue, kinds));
  const jobs = queues.flatMap((queue) => newIn({ database, tx }, queue));
  const delayed = jobs.filter(({ value }) => !value.due);
  const later = delayed.filter(({ value }) => value.availableAt > now);
  const promoted = delayed.filter(({ row, value }) => value.availableAt <= now && row.isFreeFor(tx));
  for (const { row, value } of promoted) {
    tx.take(row);
    tx.write(row, { ...value, due: true });
  }
  const ends = pausesOf({ database, tx }).firstEndMs ?? Number.POSITIVE_INFINITY;
  const next = Math.min(ends, ...later.map(({ value }) => value.availableAt - now));
  return {
    promoted: promoted.length,
    nextDueMs: Number.isFinite(next) ? next : null,
    waiting: waiting.length > 0,
    unlimited: waiting.some(({ limits }) => limits === NO_LIMITS),
    leased: leasedIn({ database, tx }, queues).length > 0,
    limited:
      limitedParts({ database, tx }, { queues, beyond: '', limit: Number.POSITIVE_INFINITY }).parts.length >
      0,
    followers: queues.length > 0 && database.tables.followers.find(tx, () => true).length > 0,
    nextExpiryMs: queues.length === 0 ? null : untilExpiry({ database, tx }),
    nextTickMs: queues.length === 0 ? null : untilFirst({ database, tx }),
    refused: [],
  };
}

function newIn({ database, tx }: Place, queue: string) {
  return database.tables.jobs.findBy('queue', queue, tx, ({ status }) => status === 'new');
}
