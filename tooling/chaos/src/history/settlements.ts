import type { HistoryEvent } from './event.js';
import { runIdOf } from './run-name.js';
import type { Run } from './runs.js';
import type { Tables } from './tables.js';
import { unflushedOf } from './unflushed.js';
import type { Violation } from './violation.js';

/** The events that settle a job for good. */
const FINAL: ReadonlySet<string> = new Set(['complete', 'fail', 'exhaust', 'abandon']);

/** Nothing settled twice, by the workers' word or by the run records: see `check`. */
export function doubledSettlements(events: readonly HistoryEvent[], { jobs, records }: Tables): Violation[] {
  const settlers = new Map<string, Set<string>>();
  const note = (publicId: string, run: string): void => {
    settlers.set(publicId, (settlers.get(publicId) ?? new Set()).add(run));
  };
  // Of a run of several jobs that has completed one the job's row alone may tell.
  for (const { publicId, run, status } of jobs)
    if (status === 'complete' && run !== null) note(publicId, run);
  for (const { publicId, run, outcome } of records) if (FINAL.has(outcome ?? '')) note(publicId, run);
  for (const event of events) {
    if (event.what !== 'settled') continue;
    const run = runIdOf(event.run);
    for (const [publicId, ending] of event.endings) if (FINAL.has(ending)) note(publicId, run);
  }
  return [...settlers]
    .filter(([, runs]) => runs.size > 1)
    .map(([publicId, runs]) => ({
      what: 'doubled',
      text: `job ${publicId} was settled by ${[...runs].join(' and ')}`,
    }));
}

/** One effect of the run that completed a job, and no other's: see `check`. */
export function strayEffects({ jobs, effects }: Tables): Violation[] {
  const runsOf = new Map<string, string[]>();
  for (const { tag, run } of effects) runsOf.set(tag, [...(runsOf.get(tag) ?? []), run]);
  const found: Violation[] = [];
  for (const { tag, kind, status, run } of jobs) {
    const wrote = runsOf.get(tag) ?? [];
    runsOf.delete(tag);
    const expected = status === 'complete' && !kind.endsWith('.outside') ? [run] : [];
    if (wrote.length === expected.length && wrote[0] === expected[0]) continue;
    const text = `job ${tag} is ${status} by run ${run}, and has effects of [${wrote.join(', ')}]`;
    found.push({ what: 'effect', text });
  }
  for (const [tag, runs] of runsOf)
    found.push({ what: 'effect', text: `effects of ${runs.join()} on ${tag}, which is no job` });
  return found;
}

/** A claim that is lost is the end of its run's effects: see `check`. */
export function zombies(runs: readonly Run[], { effects }: Tables): Violation[] {
  const wrote = new Set(effects.map(({ tag, run }) => `${run} ${tag}`));
  return runs.flatMap((run): Violation[] => {
    const { id, runId, jobs, worker, mode, beganAborted, abortedAt, abortReason, endedAt } = run;
    if (beganAborted)
      return [{ what: 'zombie', text: `run ${id} of ${worker} began after its signal was aborted` }];
    const lost = mode !== 'lease' && abortReason === 'ROWLOCK_CLAIM_LOST' && abortedAt < endedAt;
    if (!lost || !jobs.some((job) => wrote.has(`${runId} ${job}`))) return [];
    return [
      { what: 'zombie', text: `run ${id} of ${worker} committed though its claim was lost before its end` },
    ];
  });
}

/** A job that kills its workers ends as an error, after no more runs than it has attempts. */
export function poison(events: readonly HistoryEvent[], runs: readonly Run[], { jobs }: Tables): Violation[] {
  const allowed = new Map<string, number>();
  for (const event of events)
    if (event.what === 'intended' && event.poison) allowed.set(event.job, event.poison);
  const began = new Map<string, number>();
  const mayBeUnflushed = unflushedOf(events);
  for (const run of runs) {
    if (!mayBeUnflushed(run)) for (const job of run.jobs) began.set(job, (began.get(job) ?? 0) + 1);
  }
  return jobs.flatMap(({ tag, status }): Violation[] => {
    const attempts = allowed.get(tag);
    const times = began.get(tag) ?? 0;
    if (attempts === undefined || (status === 'error' && times <= attempts)) return [];
    return [
      {
        what: 'poison',
        text: `job ${tag} kills its worker, began ${times} times of ${attempts}, and is ${status}`,
      },
    ];
  });
}
