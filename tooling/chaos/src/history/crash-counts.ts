import type { HistoryEvent } from './event.js';
import { runIdOf } from './run-name.js';
import type { Run } from './runs.js';
import type { JobFact, RecordFact, Tables } from './tables.js';
import { unflushedOf } from './unflushed.js';
import type { Violation } from './violation.js';

/** What a run settled: its row says how it stood then. A client that cancels a job looks at no records. */
const BY_A_RUN: ReadonlySet<string> = new Set(['complete', 'error']);

/** Each attempt and each crash is counted once, in the row and on record: see `check`. */
export function miscounts({ jobs, records }: Tables): Violation[] {
  const ofJob = byJob(records);
  return jobs.flatMap((job): Violation[] => {
    if (!BY_A_RUN.has(job.status)) return [];
    const outcomes = (ofJob.get(job.publicId) ?? []).map(({ outcome }) => outcome);
    const times = (wanted: string): number => outcomes.filter((outcome) => outcome === wanted).length;
    const crashes = times('reclaim');
    const last = job.status === 'complete' || times('fail') > 0 ? 1 : 0;
    const attempts = crashes + times('retry') + last;
    if (job.crashes === crashes && job.attempt === attempts) return [];
    const text = `job ${job.tag} has ${job.attempt} attempts and ${job.crashes} crashes by its row, ${attempts} and ${crashes} by its records`;
    return [{ what: 'miscount', text }];
  });
}

/** What began is on record until it has ended, and not after it: see `check`. */
export function unrecorded(
  events: readonly HistoryEvent[],
  runs: readonly Run[],
  { jobs, records, open }: Tables,
): Violation[] {
  const ended = new Set(records.flatMap(({ publicId, run, outcome }) => outcome && `${run} ${publicId}`));
  const byTag = new Map(jobs.map((job) => [job.tag, job]));
  const mayBeUnflushed = unflushedOf(events);
  const missing = runs.flatMap((run) =>
    run.jobs.flatMap((tag): Violation[] => {
      const job = byTag.get(tag);
      if (job === undefined || !BY_A_RUN.has(job.status) || isSettledBy(job, run.runId)) return [];
      if (ended.has(`${run.runId} ${job.publicId}`) || mayBeUnflushed(run)) return [];
      return [{ what: 'unrecorded', text: `run ${run.id} of job ${tag} has no record of how it ended` }];
    }),
  );
  return [...missing, ...leftOpen(events, runs, jobs, open)];
}

function isSettledBy({ status, run }: JobFact, runId: string): boolean {
  return status === 'complete' && run === runId;
}

/** A settlement ends what runs have on record together; of what has crashed, whoever comes to one of its jobs does. */
function leftOpen(
  events: readonly HistoryEvent[],
  runs: readonly Run[],
  jobs: readonly JobFact[],
  open: Tables['open'],
): Violation[] {
  const byPublicId = new Map(jobs.map((job) => [job.publicId, job]));
  const began = new Set(runs.map(({ runId }) => runId));
  const over = new Set(
    events.flatMap((event) =>
      event.what === 'settled' || event.what === 'released' ? [runIdOf(event.run)] : [],
    ),
  );
  return open.flatMap(({ publicId, run }): Violation[] => {
    const job = byPublicId.get(publicId);
    if (job === undefined) return [];
    // Of one that did not begin, the record may have been written when its claim was lost already.
    const isLate = !began.has(run) || !BY_A_RUN.has(job.status);
    if (!over.has(run) && job.run !== run && isLate) return [];
    return [{ what: 'unrecorded', text: `job ${job.tag} is ${job.status}, and ${run} is on record still` }];
  });
}

/**
 * A job that kills nobody ends as an error only if it says so itself, and pays for one other at most that killed its worker beside
 * it: after that it is run alone. See `check`.
 */
export function blamed(
  events: readonly HistoryEvent[],
  runs: readonly Run[],
  { jobs, records }: Tables,
): Violation[] {
  const mayFail = new Set<string>();
  const poisons = new Set<string>();
  for (const event of events) {
    if (event.what !== 'intended') continue;
    if (event.poison || event.fails) mayFail.add(event.job);
    if (event.poison) poisons.add(event.job);
  }
  const killers = killersOf(events, runs);
  const ofJob = byJob(records);
  return jobs.flatMap(({ tag, publicId, status }): Violation[] => {
    const found: Violation[] = [];
    if (status === 'error' && !mayFail.has(tag))
      found.push({ what: 'blamed', text: `job ${tag} is an error, and did nothing to be one` });
    const crashes = (ofJob.get(publicId) ?? []).filter(({ outcome }) => outcome === 'reclaim');
    const paid = crashes.flatMap(({ run }) => killers.get(run) ?? []).filter((killer) => killer !== tag);
    if (paid.length > 1 && !poisons.has(tag))
      found.push({ what: 'blamed', text: `job ${tag} has paid for ${paid.join(' and ')}` });
    return found;
  });
}

/** Which job of a transaction's runs has killed their worker. */
function killersOf(events: readonly HistoryEvent[], runs: readonly Run[]): ReadonlyMap<string, string> {
  const byId = new Map(runs.map((run) => [run.id, run]));
  return new Map(
    events.flatMap((event): [string, string][] => {
      const run = event.what === 'dying' ? byId.get(event.run) : undefined;
      const [killer] = run?.jobs ?? [];
      return run && killer ? [[run.runId, killer]] : [];
    }),
  );
}

function byJob(records: readonly RecordFact[]): ReadonlyMap<string, readonly RecordFact[]> {
  const found = new Map<string, RecordFact[]>();
  for (const record of records) {
    const others = found.get(record.publicId);
    if (others === undefined) found.set(record.publicId, [record]);
    else others.push(record);
  }
  return found;
}
