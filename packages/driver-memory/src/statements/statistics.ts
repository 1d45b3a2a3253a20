import type { Backlog } from '@rowlock/core/driver';
import type { JobRow } from '../job-row.js';
import { pausesOf } from './pauses.js';
import type { Place } from './place.js';

/** The fewest jobs of a queue that are counted, where there are so many. */
const LEAST = 100;

export function backlog(place: Place, wanted: number, inAll = Number.POSITIVE_INFINITY): readonly Backlog[] {
  const { database, tx } = place;
  const now = database.clock.now();
  const isPaused = pausesOf(place).job;
  const waiting = database.tables.jobs.find(tx, ({ status }) => status === 'new').map(({ value }) => value);
  const queues = Map.groupBy(waiting, ({ queue }) => queue);
  const most = Math.min(wanted, Math.max(LEAST, Math.floor(inAll / queues.size)));
  return [...queues].flatMap(([queue, own]) => {
    const due = own.filter((job) => job.due && job.availableAt <= now).toSorted(inOrder);
    const delayed = own.filter((job) => !job.due);
    const counted = [due.slice(0, most), delayed.slice(0, most)] as const;
    return [...new Set(counted.flat().map(({ kind }) => kind))].map((kind) => {
      const [isDue, isDelayed] = counted.map((jobs) => jobs.filter((job) => job.kind === kind));
      const times = (isDue ?? []).map(({ availableAt }) => now - availableAt);
      return {
        queue,
        kind,
        due: times.length,
        paused: (isDue ?? []).filter(isPaused).length,
        delayed: isDelayed?.length ?? 0,
        more: due.length >= most,
        moreDelayed: delayed.length >= most,
        oldestDueMs: times.length === 0 ? null : Math.max(...times),
      };
    });
  });
}

function inOrder(one: JobRow, other: JobRow): number {
  return one.priority - other.priority || Number(one.id - other.id);
}
