import { setTimeout as sleep } from 'node:timers/promises';
import { isDriverError } from '../driver/driver-error.js';
import type { Moved } from '../driver/jobs.js';
import { IllegalTransitionError, JobNotFoundError } from '../errors.js';
import { type ClientEvent, isLegal } from '../job/lifecycle.js';

/** How often a move of a locked job is tried, and the pause between two tries, in milliseconds. */
const LOCKED_TRIES = 5;
const LOCKED_MS = 20;

/** Moves one job. */
interface Moving {
  move(event: ClientEvent, publicId: string): Promise<Moved>;
}

type MovedJob = Extract<Moved, { outcome: 'moved' | 'running' }>;

/**
 * Cancels or redrives a job. One that another transaction holds for a moment is tried again.
 *
 * @throws JobNotFoundError, IllegalTransitionError
 */
export async function moveJob(store: Moving, event: ClientEvent, publicId: string): Promise<MovedJob> {
  const moved = await moveUnlessLocked(store, event, publicId);
  if (moved.outcome === 'missing') throw new JobNotFoundError(publicId);
  if (moved.outcome !== 'illegal') return moved;
  const why = isLegal(event, moved.status)
    ? 'locked by a transaction: try again when that has ended'
    : moved.status;
  throw new IllegalTransitionError(event, publicId, why);
}

/** The same, and returns what prevented the move. */
export async function moveUnlessLocked(store: Moving, event: ClientEvent, publicId: string): Promise<Moved> {
  for (let tries = 1; ; tries++) {
    const moved = await store.move(event, publicId);
    // MySQL shows a commit before it releases the locks.
    const isLocked = moved.outcome === 'illegal' && isLegal(event, moved.status);
    if (!isLocked || tries === LOCKED_TRIES) return moved;
    await sleep(LOCKED_MS);
  }
}

/** Redrives a job, unless another one has its unique key by now. @throws as `moveJob` */
export async function redriveJob(store: Moving, publicId: string): Promise<void> {
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
