import type { Mode } from '../mode.js';
import type { HistoryEvent } from './event.js';
import { runIdOf } from './run-name.js';

/** A run as the history tells of it. Times are those of the history's clock; Infinity: never. */
export interface Run {
  readonly id: string;
  /** By which the tables name it. Runs that share a transaction share it. */
  readonly runId: string;
  readonly worker: string;
  readonly mode: Mode;
  readonly kind: string;
  readonly key: string | null;
  readonly jobs: readonly string[];
  /** The names of the limits that it has slots of. */
  readonly limits: readonly string[];
  readonly beganAt: number;
  readonly beganAborted: boolean;
  /** When its handler ended. */
  readonly endedAt: number;
  /** When its signal was aborted. */
  readonly abortedAt: number;
  readonly abortReason: string | null;
  /** When its worker knew how it ended: settled, lost or released. */
  readonly overAt: number;
  /** When its process was killed, or killed itself, after the run had begun. */
  readonly diedAt: number;
}

/** A time in which a worker, or with `*` all of them, had something done to them that they could not know of. */
export interface Impairment {
  readonly worker: string;
  readonly from: number;
  readonly to: number;
}

/** Puts the lines of each run together, in the order in which the runs began. */
export function runsOf(events: readonly HistoryEvent[]): Run[] {
  const runs = new Map<string, Mutable<Run>>();
  const ofWorker = new Map<string, Mutable<Run>[]>();
  for (const event of events) {
    if (event.what === 'begin') {
      const { run: id, mode, kind, key, jobs, limits = [], aborted, at, by } = event;
      const run = {
        ...{
          id,
          runId: runIdOf(id),
          mode,
          kind,
          key,
          jobs,
          limits,
          worker: by,
          beganAt: at,
          beganAborted: aborted,
          abortReason: null,
        },
        ...{ endedAt: Infinity, abortedAt: Infinity, overAt: Infinity, diedAt: Infinity },
      };
      runs.set(id, run);
      ofWorker.set(by, [...(ofWorker.get(by) ?? []).filter(({ overAt }) => overAt === Infinity), run]);
    } else if (event.what === 'killing' || event.what === 'dead' || event.what === 'dying') {
      const worker = event.what === 'dying' ? event.by : event.worker;
      for (const run of ofWorker.get(worker) ?? []) run.diedAt = Math.min(run.diedAt, event.at);
    } else if ('run' in event) {
      const run = runs.get(event.run);
      if (run === undefined) continue;
      if (event.what === 'end') run.endedAt = event.at;
      if (event.what === 'aborted') [run.abortedAt, run.abortReason] = [event.at, event.reason];
      if (event.what === 'settled' || event.what === 'lost' || event.what === 'released')
        run.overAt = event.at;
    }
  }
  return [...runs.values()];
}

/** Runs by what the tables know of them: their run id, and a job. */
export function runsByJob(runs: readonly Run[]): (runId: string | null, job: string) => Run | undefined {
  const found = new Map(runs.flatMap((run) => run.jobs.map((job) => [`${run.runId} ${job}`, run])));
  return (runId, job) => found.get(`${runId} ${job}`);
}

/** How many runs began in one transaction, at most. */
export function mostShared(runs: readonly Run[]): number {
  const sizes = new Map<string, number>();
  for (const { runId } of runs) sizes.set(runId, (sizes.get(runId) ?? 0) + 1);
  return Math.max(0, ...sizes.values());
}

export function impairmentsOf(events: readonly HistoryEvent[]): Impairment[] {
  const found = new Map<number, Mutable<Impairment>>();
  for (const event of events) {
    if (event.what === 'impaired')
      found.set(event.id, { worker: event.worker, from: event.at, to: Infinity });
    if (event.what === 'relieved') {
      const impairment = found.get(event.id);
      if (impairment) impairment.to = event.at;
    }
  }
  return [...found.values()];
}

type Mutable<T> = { -readonly [Name in keyof T]: T[Name] };
