import type { CommandOf } from '../command.js';
import type { Actor } from '../parts.js';
import { EITHER, type Result } from '../result.js';
import type { ModelJob, Worker } from './job.js';
import type { ModelState } from './state.js';
import { unfinished } from './transaction.js';

export function startRuns(state: ModelState, { by, endsCrashed }: CommandOf<'startRuns'>): Result {
  const tx = state.open(by);
  const run = state.newRun();
  const worker = workerOf(state, by);
  const crashed = new Set(unfinished(tx).map((record) => record.run));
  if (crashed.size > 0) {
    if (!endsCrashed) return { earlier: EITHER, unfinished: [...crashed].sort() };
    for (const record of unfinished(tx)) record.outcome = 'reclaim';
  }
  tx.run = run;
  const counted = new Map<ModelJob, number>();
  const earlier: Record<string, object> = {};
  for (const job of tx.held.keys()) {
    const earlierRuns = job.runs.length;
    const crashes = job.runs.filter(({ outcome }) => outcome === 'reclaim').length;
    counted.set(job, crashes);
    job.runs.push({ run, worker, outcome: null, progress: null });
    if (earlierRuns > 0) earlier[job.name] = { earlierRuns, crashes };
  }
  tx.counted = counted;
  return { earlier, unfinished: [] };
}

export function noteRun(state: ModelState, { run }: CommandOf<'noteRun'>): Result {
  for (const record of state.records(`run ${run}`)) if (record.outcome === null) record.progress = 'half';
  return undefined;
}

export function write(state: ModelState, { by }: CommandOf<'write'>): Result {
  const tx = state.open(by);
  tx.hasWritten = true;
  tx.effects.push([...tx.held.keys()].map(({ name }) => name).join(', '));
  return undefined;
}

export function undo(state: ModelState, { by }: CommandOf<'undo'>): Result {
  const tx = state.open(by);
  tx.effects = [];
  for (const [job, row] of tx.before) tx.rows.set(job, row);
  tx.before.clear();
  tx.hasUndone = true;
  return undefined;
}

export function renew(state: ModelState, { by }: CommandOf<'renew'>): Result {
  const tx = state.open(by);
  tx.kept.push(...tx.effects);
  tx.effects = [];
  tx.before.clear();
  tx.hasUndone = false;
  return undefined;
}

export function release(state: ModelState, { by }: CommandOf<'release'>): Result {
  for (const record of state.records(state.open(by).run)) record.outcome = 'release';
  return state.end(by, 'rollback');
}

/** Opens its session when it has none. */
function workerOf(state: ModelState, by: Actor): Worker {
  const open = state.sessions.get(by);
  if (open !== undefined) return open;
  const worker: Worker = { name: `worker ${state.workers.length}`, alive: true };
  state.workers.push(worker);
  state.sessions.set(by, worker);
  return worker;
}
