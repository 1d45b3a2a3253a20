import type { Jobs, Moved } from '@rowlock/core/driver';
import type { Execute } from '../engine/execute.js';
import * as statements from '../statements.js';

export function jobsOf(execute: Execute): Jobs {
  return {
    enqueue: (jobs, wakeUps = [], waitMs) =>
      execute(async (place) => {
        const outcomes = await statements.enqueue(place, jobs);
        if (outcomes.some(({ outcome }) => outcome === 'enqueued')) statements.notify(place, wakeUps);
        return outcomes;
      }, waitMs),

    uniqueJobs: (kind, keys) => execute((place) => statements.uniqueJobs(place, kind, keys)),

    list: (filter, page) => execute((place) => statements.list(place, filter, page)),

    ids: (filter, page) => execute((place) => statements.listIds(place, filter, page)),

    count: (filter, page) => execute((place) => statements.count(place, filter, page)),

    move: (event, publicIds, { redrives, waitMs } = {}) =>
      execute(async (place) => {
        const outcomes: Moved[] = [];
        for (const publicId of publicIds)
          outcomes.push(await statements.move(place, event, publicId, redrives));
        return outcomes;
      }, waitMs),

    update: (publicId, change, waitMs) =>
      execute((place) => statements.update(place, publicId, change, waitMs !== undefined), waitMs),
  };
}
