import type { State } from '@rowlock/core';
import type { CommandOf } from '../command.js';
import type { Result } from '../result.js';
import { keepSlots } from './slots.js';
import type { ModelState } from './state.js';
import { seen } from './transaction.js';

export function lease(state: ModelState, { by, most, isOver }: CommandOf<'lease'>): Result {
  const tx = state.open(by);
  const run = tx.run ?? state.newRun();
  const jobs = new Map([...tx.held].slice(0, most));
  for (const job of jobs.keys()) {
    const row = seen(job, tx);
    if (row?.status === 'new') tx.rows.set(job, { ...row, status: 'in-progress', run, isLeaseOver: isOver });
  }
  keepSlots(state, tx, run, isOver);
  state.leases.push({ run, jobs, counted: tx.counted });
  return state.end(by, 'commit');
}

export function lockLeased(state: ModelState, { by, lease: nth }: CommandOf<'lockLeased'>): Result {
  const tx = state.open(by);
  const found = state.leases[nth];
  if (found === undefined) return undefined;
  const { run, jobs, counted } = found;
  tx.from = 'in-progress';
  tx.run = run;
  tx.counted = counted;
  const states: Record<string, State> = {};
  for (const [job, taken] of jobs) {
    tx.held.set(job, taken);
    if (job.row?.run !== run) continue;
    tx.locked.add(job);
    states[job.name] = job.row.status;
  }
  return states;
}
