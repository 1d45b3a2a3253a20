import { setTimeout as sleep } from 'node:timers/promises';
import { isDriverError } from '../driver/driver-error.js';
import type { Moved, Store } from '../driver/store.js';
import { IllegalTransitionError, JobNotFoundError } from '../errors.js';
import { isLegal } from '../job/lifecycle.js';

/** How often a move of a locked job is tried, and the pause between two tries, in milliseconds. */
const LOCKED_TRIES = 5;
const LOCKED_MS = 20;

type MovedJob = Extract<Moved, { outcome: 'moved' | 'running' }>;

/**
 * Cancels or redrives a job. One that another transaction holds for a moment is tried again.
 *
 * @throws JobNotFoundError, IllegalTransitionError
 */
export async function moveJob(
  store: Pick<Store, 'move'>,
  event: 'cancel' | 'redrive',
  publicId: string,
): Promise<MovedJob> {
  for (let tries = 1; ; tries++) {
    const moved = await store.move(event, publicId);
    if (moved.outcome === 'missing') throw new JobNotFoundError(publicId);
    if (moved.outcome !== 'illegal') return moved;
    if (!isLegal(event, moved.status)) throw new IllegalTransitionError(event, publicId, moved.status);
    // Only a lock prevents the move. MySQL shows a commit before it releases the locks.
    if (tries === LOCKED_TRIES)
      throw new IllegalTransitionError(
        event,
        publicId,
        'locked by a transaction: try again when that has ended',
      );
    await sleep(LOCKED_MS);
  }
}

/** Redrives a job, unless another one has its unique key by now. @throws as `moveJob` */
export async function redriveJob(store: Pick<Store, 'move'>, publicId: string): Promise<void> {
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
