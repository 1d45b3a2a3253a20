import type { State } from '@rowlock/core';
import { isSettled } from '@rowlock/core/driver';
import type { CommandOf } from '../command.js';
import type { Filter } from '../parts.js';
import type { Result } from '../result.js';
import { asWanted, type CommittedJob, type ModelRun } from './job.js';
import type { ModelState } from './state.js';

export function list(state: ModelState, { filter, limit }: CommandOf<'list'>): Result {
  const found = state.allCommitted().filter(matches(filter)).reverse();
  const page = found.slice(0, limit);
  return {
    jobs: page.map((job) => {
      const { name, wanted, row, runs } = job;
      const held = liveRun(job);
      return {
        ...asWanted(name, wanted),
        status: shownStatus(job),
        attempt: row.attempt,
        crashes: row.crashes,
        run: held?.run ?? row.run,
        worker: held?.worker.name ?? null,
        progress: runs.at(-1)?.progress ?? null,
        unique: wanted.unique?.key ?? null,
        output: row.output,
        error: row.error,
        limits: wanted.limits ?? {},
        metadata: row.metadata,
        payload: row.payload,
        isFinished: isSettled(row.status),
      };
    }),
    next: found.length > limit ? (page.at(-1)?.name ?? null) : null,
  };
}

export function count(state: ModelState, { filter }: CommandOf<'count'>): Result {
  const counts: Record<State, number> = { new: 0, 'in-progress': 0, complete: 0, error: 0, cancelled: 0 };
  for (const job of state.allCommitted().filter(matches(filter))) counts[shownStatus(job)] += 1;
  return counts;
}

/** The job's newest run, while a live worker has it. */
function liveRun({ row, runs }: CommittedJob): ModelRun | undefined {
  const last = runs.at(-1);
  const isLive = last !== undefined && last.outcome === null && last.worker.alive && !isSettled(row.status);
  return isLive ? last : undefined;
}

function shownStatus(job: CommittedJob): State {
  return liveRun(job) === undefined ? job.row.status : 'in-progress';
}

export function workers(state: ModelState): Result {
  return state.workers.map(({ name, alive }) => ({ name, alive }));
}

function matches({ queue, kind, key, status }: Filter): (job: CommittedJob) => boolean {
  return (job) =>
    job.wanted.queue === queue &&
    (kind === undefined || job.wanted.kind === kind) &&
    (key === undefined || job.wanted.key === key) &&
    (status === undefined || shownStatus(job) === status);
}
