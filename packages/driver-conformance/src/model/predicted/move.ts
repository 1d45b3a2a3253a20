import { isLegal, TRANSITIONS } from '@rowlock/core/driver';
import type { CommandOf } from '../command.js';
import type { Result } from '../result.js';
import { hasKey } from './job.js';
import type { ModelState } from './state.js';

export function move(state: ModelState, { event, job: place }: CommandOf<'move'>): Result {
  const job = state.committed(place);
  if (job === undefined) return 'missing';
  const { status } = job.row;
  const isFree = state.isFree(job);
  if (isFree && isLegal(event, status)) {
    const { kind, unique } = job.wanted;
    const rival = state.jobs.some((other) => other !== job && hasKey(other, other.row, kind, unique?.key));
    if (event === 'redrive' && rival) return { refused: 'UniqueViolation' };
    const crashes = job.runs.filter(({ outcome }) => outcome === null || outcome === 'reclaim').length;
    const again = { attempt: 0, crashes, error: null, isAvailable: true, isDue: true } as const;
    job.row = { ...job.row, ...(event === 'redrive' && again), status: TRANSITIONS[event].to };
    return 'moved';
  }
  const isHeld = status === 'in-progress' || (!isFree && isLegal(event, status));
  return isHeld && event === 'cancel' ? 'running' : `illegal: it is ${status}`;
}

export function makeDue(state: ModelState, { job: place }: CommandOf<'makeDue'>): Result {
  const job = state.committed(place);
  if (job !== undefined) job.row = { ...job.row, isAvailable: true };
  return undefined;
}
