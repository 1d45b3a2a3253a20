import type { JobFilter, Jobs } from '@rowlock/core/driver';
import { toText } from '../connection/pipeline/to-text.js';
import type { Context } from '../context.js';
import { answers } from '../query.js';
import { enqueue } from './enqueue.js';
import { move } from './move.js';
import type { Scope } from './scope.js';
import { update } from './update.js';
import { countJobs, listEntries, listJobs } from './views.js';

export function jobsOf(context: Context, scope: Scope): Jobs {
  const { sql } = context;
  // An index finds single jobs, and the next ones of all.
  const reading = (filter: JobFilter) =>
    filter.publicIds === undefined && Object.keys(filter).length > 0 ? scope.withoutTimeout : scope.on;
  return {
    enqueue: (jobs, wakeUps = [], waitMs) => enqueue(context, scope, jobs, wakeUps, waitMs),

    async uniqueJobs(kind, keys) {
      const rows = await answers<readonly [place: number, publicId: string]>(
        scope.on,
        sql.enqueues.findDuplicates,
        [toText(keys.map(() => kind)), toText(keys)],
      );
      const found = new Map(rows);
      return keys.map((_, index) => found.get(index + 1) ?? null);
    },

    list: (filter, page) => listJobs(reading(filter), context, filter, page),

    entries: (filter, page) => listEntries(reading(filter), context, filter, page),

    count: (filter, page) => countJobs(scope.withoutTimeout, context, filter, page),

    move(event, publicIds, { redrives = null, waitMs } = {}) {
      const moves = { event, publicIds, redrives };
      if (waitMs === undefined) return move(scope.on, sql, moves);
      return scope.atomically(({ on }) => move(on, sql, moves), waitMs);
    },

    update(publicId, change, waitMs) {
      if (waitMs === undefined) return update(scope.on, sql, publicId, change, false);
      return scope.atomically(({ on }) => update(on, sql, publicId, change, true), waitMs);
    },
  };
}
