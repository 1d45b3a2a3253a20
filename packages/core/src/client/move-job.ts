import { setTimeout as sleep } from 'node:timers/promises';
import { isDriverError } from '../driver/driver-error.js';
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
 * @throws JobNotFoundError, IllegalTransitionError
 */
export async function moveJob(
  store: Pick<Jobs, 'move'>,
  event: ClientEvent,
  publicId: string,
): Promise<MovedJob> {
  const [moved = MISSING] = await moveUnlessLocked(store, event, [publicId]);
  if (moved.outcome === 'missing') throw new JobNotFoundError(publicId);
  if (moved.outcome !== 'illegal') return moved;
  const why = isLegal(event, moved.status)
    ? 'locked by a transaction: try again when that has ended'
    : moved.status;
  throw new IllegalTransitionError(event, publicId, why);
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
