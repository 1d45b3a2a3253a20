import type { Actor, CommandOf } from '../command.js';
import type { Result } from '../result.js';
import type { ModelJob, Worker } from './job.js';
import type { ModelState } from './state.js';

export function startRuns(state: ModelState, { by }: CommandOf<'startRuns'>): Result {
  const tx = state.open(by);
  const run = state.newRun();
  tx.run = run;
  const worker = workerOf(state, by);
  const counted = new Map<ModelJob, number>();
  const told: Record<string, object> = {};
  for (const job of tx.held.keys()) {
    for (const record of job.runs) record.outcome ??= 'reclaim';
    const earlierRuns = job.runs.length;
    const crashes = job.runs.filter(({ outcome }) => outcome === 'reclaim').length;
    counted.set(job, crashes);
    job.runs.push({ run, worker, outcome: null, progress: null });
    if (earlierRuns > 0) told[job.name] = { earlierRuns, crashes };
  }
  tx.counted = counted;
  return told;
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
  tx.hasUndone = true;
  return undefined;
}

export function renew(state: ModelState, { by }: CommandOf<'renew'>): Result {
  const tx = state.open(by);
  tx.kept.push(...tx.effects);
  tx.effects = [];
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
