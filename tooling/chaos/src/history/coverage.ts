import type { HistoryEvent } from './event.js';
import { type Run, runsByJob } from './runs.js';
import type { Tables } from './tables.js';
import type { Violation } from './violation.js';

/** Every completed job was done by the run that completed it, which began after its commit was sent: see `check`. */
export function uncovered(
  events: readonly HistoryEvent[],
  runs: readonly Run[],
  { jobs }: Tables,
): Violation[] {
  const sentAt = new Map<string, number>();
  const done = new Set<string>();
  for (const event of events) {
    if (event.what === 'committing') sentAt.set(event.job, event.at);
    if (event.what === 'effect') done.add(`${event.run} ${event.job}`);
  }
  const runOf = runsByJob(runs);
  return jobs.flatMap(({ tag, status, run: settler }): Violation[] => {
    if (status !== 'complete') return [];
    const run = runOf(settler, tag);
    const inTime = run !== undefined && run.beganAt > (sentAt.get(tag) ?? Infinity);
    if (inTime && done.has(`${run.id} ${tag}`)) return [];
    return [
      {
        what: 'uncovered',
        text: `job ${tag} was completed by run ${settler}, which had not begun with it, or not done it`,
      },
    ];
  });
}

/** A run of updates starts when the creations of their entity that were committed before any of them was intended are settled. */
export function disorder(
  events: readonly HistoryEvent[],
  runs: readonly Run[],
  { jobs }: Tables,
): Violation[] {
  const committedAt = new Map<string, number>();
  const intendedAt = new Map<string, number>();
  for (const event of events) {
    if (event.what === 'committed') committedAt.set(event.job, event.at);
    if (event.what === 'intended') intendedAt.set(event.job, event.at);
  }
  const runOf = runsByJob(runs);
  const creations = new Map<string, { tag: string; committedAt: number; endedAt: number }[]>();
  for (const { tag, kind, mode, key, run } of jobs) {
    const settler = runOf(run, tag);
    if (!kind.endsWith('.create') || key === null || settler === undefined) continue;
    const entity = `${mode} ${key}`;
    const creation = { tag, committedAt: committedAt.get(tag) ?? Infinity, endedAt: settler.endedAt };
    creations.set(entity, [...(creations.get(entity) ?? []), creation]);
  }
  return runs.flatMap((run): Violation[] => {
    if (!run.kind.endsWith('.update')) return [];
    const last = Math.max(...run.jobs.map((job) => intendedAt.get(job) ?? -Infinity));
    return (creations.get(`${run.mode} ${run.key}`) ?? [])
      .filter((creation) => creation.committedAt < last && creation.endedAt > run.beganAt)
      .map(({ tag }) => ({
        what: 'order',
        text: `run ${run.id} updated ${run.key} before its creation ${tag} had ended`,
      }));
  });
}
