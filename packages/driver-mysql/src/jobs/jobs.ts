import type { JobFilter, Jobs, WakeUp } from '@rowlock/core/driver';
import type { GateCallParts } from '../claims/limit-call.js';
import type { Context } from '../context.js';
import type { MysqlTransaction } from '../query.js';
import { findDuplicates } from './duplicates.js';
import { enqueue } from './enqueue.js';
import type { InTransaction } from './in-transaction.js';
import { move } from './move.js';
import type { Scope } from './scope.js';
import { takenKey } from './taken-key.js';
import { update } from './update.js';
import { countJobs, listEntries, listJobs } from './views.js';
import { withBoundedWaits } from './wait-limit.js';

/** The verbs in a transaction, or each in one of its own. They wake nobody. */
export function quietJobsOf(
  context: Context,
  scope: Scope,
  inTransaction: InTransaction = async (work) => work(scope.on),
): Jobs {
  const { sql } = context;
  const { on } = scope;
  return {
    enqueue: (jobs) => enqueue(context, scope, inTransaction, jobs),

    async uniqueJobs(kind, keys) {
      const taken = keys.map((key) => takenKey(kind, key));
      const found = await findDuplicates(sql, scope, taken);
      return taken.map((key) => found.get(key) ?? null);
    },

    list: (filter, page) => listJobs(on, context, filter, page),

    entries: (filter, page) => listEntries(on, context, filter, page),

    count: (filter, page) => countJobs(on, context, filter, page),

    move: (event, publicIds, { redrives = null } = {}) =>
      move(on, sql, inTransaction, { event, publicIds, redrives }),

    update: (publicId, change, waitMs) =>
      update(on, sql, inTransaction, publicId, change, waitMs !== undefined),
  };
}

/** The verbs of a caller's transaction. The commit sends the wake-ups. */
export function joinedJobsOf(
  context: Context,
  scope: Scope,
  notify: (wakeUps: readonly WakeUp[]) => Promise<void>,
): Jobs {
  const quiet = quietJobsOf(context, scope);
  return {
    ...quiet,
    update: (publicId, change) => quiet.update(publicId, change),
    async enqueue(jobs, wakeUps = []) {
      // Each is inserted. The answer to the ring shows whether the transaction is open, which saves a statement.
      if (jobs.length > 0 && jobs.every(({ unique }) => unique === null)) {
        await notify(wakeUps);
        return quiet.enqueue(jobs);
      }
      const outcomes = await quiet.enqueue(jobs);
      if (outcomes.some(({ outcome }) => outcome === 'enqueued')) await notify(wakeUps);
      return outcomes;
    },
  };
}

export interface JobsParts {
  readonly context: Context;
  /** The pool, for short statements. */
  readonly on: MysqlTransaction;
  /** The pool, for reads that may go through all jobs. */
  readonly withoutTimeout: MysqlTransaction;
  readonly inTransaction: InTransaction;
  readonly bounded: GateCallParts;
  readonly wake: (wakeUps: readonly WakeUp[]) => void;
}

/** The verbs on the pool. */
export function jobsOf({ context, on, withoutTimeout, inTransaction, bounded, wake }: JobsParts): Jobs {
  const short = quietJobsOf(context, { on, outside: on }, inTransaction);
  const long = quietJobsOf(context, { on: withoutTimeout, outside: withoutTimeout });
  // An index finds single jobs, and the next ones of all.
  const reading = (filter: JobFilter): Jobs =>
    filter.publicIds === undefined && Object.keys(filter).length > 0 ? long : short;
  const within = <Result>(
    waitMs: number | undefined,
    work: (jobs: Jobs) => Promise<Result>,
  ): Promise<Result> =>
    waitMs === undefined
      ? work(short)
      : withBoundedWaits(bounded, waitMs, (scope, inTransaction) =>
          work(quietJobsOf(context, scope, inTransaction)),
        );
  return {
    ...short,

    async enqueue(jobs, wakeUps = [], waitMs) {
      const outcomes = await within(waitMs, (own) => own.enqueue(jobs));
      if (outcomes.some(({ outcome }) => outcome === 'enqueued')) wake(wakeUps);
      return outcomes;
    },

    list: (filter, page) => reading(filter).list(filter, page),

    entries: (filter, page) => reading(filter).entries(filter, page),

    count: (filter, page) => long.count(filter, page),

    move: (event, publicIds, options = {}) =>
      within(options.waitMs, (own) => own.move(event, publicIds, options)),

    update: (publicId, change, waitMs) => within(waitMs, (own) => own.update(publicId, change, waitMs)),
  };
}
