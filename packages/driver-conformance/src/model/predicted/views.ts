import { isSettled, type State } from '@rowlock/core';
import type { CommandOf, Filter } from '../command.js';
import type { Result } from '../result.js';
import { asWanted, type CommittedJob } from './job.js';
import type { ModelState } from './state.js';

export function list(state: ModelState, { filter, limit }: CommandOf<'list'>): Result {
  const found = state.allCommitted().filter(matches(filter)).reverse();
  const page = found.slice(0, limit);
  return {
    jobs: page.map(({ name, wanted, row, runs }) => {
      const last = runs.at(-1);
      const isHeld =
        last !== undefined && last.outcome === null && last.worker.alive && !isSettled(row.status);
      return {
        ...asWanted(name, wanted),
        status: isHeld ? 'in-progress' : row.status,
        attempt: row.attempt,
        crashes: row.crashes,
        run: isHeld ? last.run : row.run,
        worker: isHeld ? last.worker.name : null,
        progress: last?.progress ?? null,
        unique: wanted.unique?.key ?? null,
        output: row.output,
        error: row.error,
        isFinished: isSettled(row.status),
      };
    }),
    next: found.length > limit ? (page.at(-1)?.name ?? null) : null,
  };
}

export function count(state: ModelState, { filter }: CommandOf<'count'>): Result {
  const counts: Record<State, number> = { new: 0, 'in-progress': 0, complete: 0, error: 0, cancelled: 0 };
  for (const { row } of state.allCommitted().filter(matches(filter))) counts[row.status] += 1;
  return counts;
}

export function workers(state: ModelState): Result {
  return state.workers.map(({ name, alive }) => ({ name, alive }));
}

function matches({ queue, kind, key, status }: Filter): (job: CommittedJob) => boolean {
  return ({ wanted, row }) =>
    wanted.queue === queue &&
    (kind === undefined || wanted.kind === kind) &&
    (key === undefined || wanted.key === key) &&
    (status === undefined || row.status === status);
}
