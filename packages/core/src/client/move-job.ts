import { setTimeout as sleep } from 'node:timers/promises';
import { DriverError, isDriverError } from '../driver/driver-error.js';
import type { Jobs, Moved } from '../driver/jobs.js';
import { IllegalTransitionError, JobNotFoundError } from '../errors.js';
import { type ClientEvent, isLegal } from '../job/lifecycle.js';

/** How often a move of a locked job is tried, and the pause between two tries, in milliseconds. */
const LOCKED_TRIES = 5;
const LOCKED_MS = 20;

type MovedJob = Extract<Moved, { outcome: 'moved' | 'running' }>;

/**
 * Cancels or redrives a job. One that another transaction holds for a moment is tried again.
 *
 * @throws JobNotFoundError, IllegalTransitionError; DriverError `LockTimeout` if it stays locked
 */
export async function moveJob(
  store: Pick<Jobs, 'move'>,
  event: ClientEvent,
  publicId: string,
): Promise<MovedJob> {
  const [moved = MISSING] = await moveUnlessLocked(store, event, [publicId]);
  if (moved.outcome === 'missing') throw new JobNotFoundError(publicId);
  if (moved.outcome !== 'illegal') return moved;
  if (isLegal(event, moved.status)) throw jobLocked(event, publicId);
  throw new IllegalTransitionError(event, publicId, moved.status);
}

/** Another transaction has the job's row for longer than the call waits. */
export function jobLocked(event: string, publicId: string): DriverError {
  const message = `Cannot ${event} job ${publicId} now: another transaction has locked it. Try again when that has ended.`;
  return new DriverError('LockTimeout', message);
}

/** The same of up to 100 jobs. Returns what became of each, in the same order. */
export async function moveUnlessLocked(
  store: Pick<Jobs, 'move'>,
  event: ClientEvent,
  publicIds: readonly string[],
): Promise<readonly Moved[]> {
  const moves = new Map<string, Moved>();
  let left = publicIds;
  for (let tries = 1; left.length > 0; tries++) {
    const answers = await store.move(event, left);
    for (const [place, publicId] of left.entries()) moves.set(publicId, answers[place] ?? MISSING);
    if (tries === LOCKED_TRIES) break;
    // MySQL shows a commit before it releases the locks.
    left = left.filter((_, place) => {
      const moved = answers[place];
      return moved?.outcome === 'illegal' && isLegal(event, moved.status);
    });
    if (left.length > 0) await sleep(LOCKED_MS);
  }
  return publicIds.map((publicId) => moves.get(publicId) ?? MISSING);
}

const MISSING: Moved = { outcome: 'missing' };

/** Redrives a job, unless another one has its unique key by now. @throws as `moveJob` */
export async function redriveJob(store: Pick<Jobs, 'move'>, publicId: string): Promise<void> {
  try {
    await moveJob(store, 'redrive', publicId);
  } catch (error) {
    if (!isDriverError(error, 'UniqueViolation')) throw error;
    throw new IllegalTransitionError(
      'redrive',
      publicId,
      'superseded: another outstanding job has its unique key',
    );
  }
}
