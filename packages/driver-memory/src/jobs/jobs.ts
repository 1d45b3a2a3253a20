import type { Jobs, Moved } from '@rowlock/core/driver';
import type { Execute } from '../engine/execute.js';
import { notify } from '../workers/statements/bell.js';
import { enqueue } from './statements/enqueue.js';
import { move, uniqueJobs, update } from './statements/jobs.js';
import { count, list, listEntries } from './statements/selection.js';

export function jobsOf(execute: Execute): Jobs {
  return {
    enqueue: (jobs, wakeUps = [], waitMs) =>
      execute(async (place) => {
        const outcomes = await enqueue(place, jobs);
        if (outcomes.some(({ outcome }) => outcome === 'enqueued')) notify(place, wakeUps);
        return outcomes;
      }, waitMs),

    uniqueJobs: (kind, keys) => execute((place) => uniqueJobs(place, kind, keys)),

    list: (filter, page) => execute((place) => list(place, filter, page)),

    entries: (filter, page) => execute((place) => listEntries(place, filter, page)),

    count: (filter, page) => execute((place) => count(place, filter, page)),

    move: (event, publicIds, { redrives, waitMs } = {}) =>
      execute(async (place) => {
        const outcomes: Moved[] = [];
        for (const publicId of publicIds) outcomes.push(await move(place, event, publicId, redrives));
        return outcomes;
      }, waitMs),

    update: (publicId, change, waitMs) =>
      execute((place) => update(place, publicId, change, waitMs !== undefined), waitMs),
  };
}
