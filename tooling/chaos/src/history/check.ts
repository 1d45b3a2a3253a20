import { disorder, uncovered } from './coverage.js';
import { blamed, miscounts, unrecorded } from './crash-counts.js';
import { deaths } from './deaths.js';
import type { HistoryEvent } from './event.js';
import { losses } from './losses.js';
import { overlaps } from './overlaps.js';
import { type Run, runsOf } from './runs.js';
import { doubledSettlements, poison, strayEffects, zombies } from './settlements.js';
import type { Tables } from './tables.js';
import type { Violation } from './violation.js';

/**
 * Proves a history clean, or says what is wrong with it. What is checked, exactly:
 *
 * - **lost**: each job whose producer was answered that it is committed is in the table, and every job of the table is
 *   settled. An enqueue that broke in the middle is in doubt: it may be in the table, and then it must be settled too.
 * - **doubled**: no job has two runs that settled it for good, by what workers announced or by the run records.
 * - **overlap**: runs exclude each other by their claims. A claim begins before its handler does and ends when the server
 *   ends it: by the run's own commit, or because the server has let the session go, or (a lease) put the job back. Two
 *   witnesses watch it. In the database, each run of `hold` locks its entity's row of a table of the application through
 *   its own transaction, at its handler's first line and without waiting, so that lock lasts exactly as long as the
 *   claim's transaction does at the server; each run of `lease` does the same in the transaction that settles, and looks
 *   for a job of its entity that another run has in progress. Who meets another has found two claims at one time, and
 *   nothing excuses that. In the history, no handler begins on an entity before the last one has ended, was stopped by
 *   its signal, or has died with its process. This is excused for one case: the earlier run's worker was in the hand of
 *   a fault and so could not know that the server had ended its claim (it was stopped, its event loop blocked, its
 *   connections swallowed or ended, its server killed), or had been until three seconds before, as news take time. Such a zombie
 *   may go on computing; the next two say what it may not do.
 * - **effect**: a completed job has exactly one row in the table of effects, written through the `tx` of the very run that
 *   the job's row names, unless its kind leaves `tx` alone; any other job has none. What a run has undone is not there. A zombie therefore commits nothing, and nothing is committed twice. This
 *   holds for a lease, too, whose `tx` is that of the fenced settlement. Effects outside of the database may be repeated;
 *   that there is one at least is the next but one's affair.
 * - **zombie**: no handler is entered with its signal aborted; no held run commits that was aborted for its claim's loss
 *   before its handler ended.
 * - **uncovered**: each completed job was among those that the completing run began with, after the job's COMMIT was sent,
 *   and that run wrote down its effect: an update that comes late is never swallowed by a run that has begun.
 * - **order**: an update begins after the handlers that settled its entity's earlier creations have ended.
 * - **poison**: a job that always kills its worker ends as an error and begins no more often than it has attempts, runs apart that may not be on record.
 * - **miscount**: a job that a run has settled has, by its row, as many crashes as its records say, and as many attempts as it has
 *   records of crashes and retries, and one more for its end.
 * - **unrecorded**: each run that began has a record of how it ended for each of its jobs, or is named by the row that it has
 *   completed, unless the server or its connection went while its record was flushed; a row for runs that are on record together is gone when they are settled, or when one of their jobs is settled by another.
 * - **blamed**: a job ends as an error only if it kills its workers, or says so itself; and of those that do, it pays at most
 *   once for one that shared its transaction.
 * - **limit**: when a run begins, fewer runs of each of its limits certainly go on than the limit's size. This counts runs of all modes,
 *   from their begin to their end, their signal's abort or their worker's death, but for the zombies of **overlap**. The size is the
 *   largest one that may have been in force between the sending of the run's claim and its begin. And 2 s after all jobs are settled
 *   every slot is free: an independent client can lock its row, and no lease marks it. See `excesses` and `leaks`.
 * - **death**: no worker's process ends before it is to, unless it is killed: an error that nobody caught would otherwise be
 *   hidden by the worker that is hired in its place.
 */
export function check(events: readonly HistoryEvent[], tables: Tables, runs = runsOf(events)): Violation[] {
  return [
    ...losses(events, tables),
    ...doubledSettlements(events, tables),
    ...overlaps(events, runs),
    ...strayEffects(tables),
    ...zombies(runs, tables),
    ...uncovered(events, runs, tables),
    ...disorder(events, runs, tables),
    ...poison(events, runs, tables),
    ...miscounts(tables),
    ...unrecorded(events, runs, tables),
    ...blamed(events, runs, tables),
    ...deaths(events),
  ];
}

/** What concerns one mode of a history of both. */
export function ofMode(
  mode: string,
  events: readonly HistoryEvent[],
  tables: Tables,
): { readonly events: HistoryEvent[]; readonly tables: Tables; readonly runs: Run[] } {
  const jobs = tables.jobs.filter((job) => job.mode === mode);
  const publicIds = new Set(jobs.map(({ publicId }) => publicId));
  const runs = runsOf(events).filter((run) => run.mode === mode);
  const own = new Set(runs.map(({ id }) => id));
  const workers = new Set(
    events.flatMap((event) => (event.what === 'hired' && event.mode === mode ? [event.worker] : [])),
  );
  const intended = new Set(
    events.flatMap((event) => (event.what === 'intended' && event.mode === mode ? [event.job] : [])),
  );
  return {
    runs,
    events: events.filter((event) => {
      if ('run' in event && event.what !== 'settled') return own.has(event.run);
      if ('job' in event) return intended.has(event.job);
      if (event.what === 'dead') return workers.has(event.worker);
      return event.what !== 'settled' || event.endings.some(([publicId]) => publicIds.has(publicId));
    }),
    tables: {
      jobs,
      effects: tables.effects.filter(({ tag }) => intended.has(tag)),
      records: tables.records.filter(({ publicId }) => publicIds.has(publicId)),
      open: tables.open.filter(({ publicId }) => publicIds.has(publicId)),
    },
  };
}
