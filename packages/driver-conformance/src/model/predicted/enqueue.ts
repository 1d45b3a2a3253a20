import type { CommandOf } from '../command.js';
import { isCaller } from '../parts.js';
import type { Result } from '../result.js';
import { hasKey, type ModelJob, type Row } from './job.js';
import type { ModelState } from './state.js';
import { seen } from './transaction.js';

export function enqueue(state: ModelState, { by, jobs }: CommandOf<'enqueue'>): Result {
  const tx = isCaller(by) ? state.open(by) : undefined;
  return jobs.map((wanted) => {
    const { unique, kind, available } = wanted;
    const there = state.jobs.find((job) => hasKey(job, seen(job, tx), kind, unique?.key));
    if (there !== undefined) return `duplicate of ${there.name}`;
    const place = state.jobs.length;
    const job: ModelJob = { name: `job ${place}`, place, wanted, row: null, runs: [] };
    const row: Row = {
      status: 'new',
      attempt: 0,
      crashes: 0,
      isAvailable: available !== 'tomorrow',
      isDue: available !== 'tomorrow',
      run: null,
      isLeaseOver: false,
      metadata: {},
      payload: { wanted: available },
      output: null,
      error: null,
    };
    state.jobs.push(job);
    if (tx === undefined) job.row = row;
    else tx.rows.set(job, row);
    return `enqueued ${job.name}`;
  });
}

export function end(state: ModelState, { by, how }: CommandOf<'end'>): Result {
  return state.end(by, how);
}
