import { mayBeOfOne } from '../../driver/apart.js';
import { isDriverError } from '../../driver/driver-error.js';
import { ClaimLostError } from '../../errors.js';
import type { RunRecord } from '../record/run-records.js';
import type { Run } from '../run/run.js';
import type { Flow } from './context.js';
import type { Claim } from './group.js';

/**
 * Stops runs that have lost their claim, or whose record cannot be made durable: their work could not be settled.
 *
 * @returns ends the watch of the claim
 */
export function stopWhenLost<Tx>(lost: AbortSignal, record: RunRecord, runs: readonly Run<Tx>[]): () => void {
  const stop = (cause: unknown): void => {
    for (const { live } of runs) live.stop(new ClaimLostError(live.runId, { cause }));
  };
  const onLost = (): void => stop(lost.reason);
  record.flushed.catch(stop);
  lost.addEventListener('abort', onLost, { once: true });
  if (lost.aborted) onLost();
  return () => lost.removeEventListener('abort', onLost);
}

/**
 * Emits `lost` for runs that were not settled, and rolls back their claim.
 *
 * @throws an error that the next claim would meet too: the next claim is to come after a pause
 */
export async function tellLost<Tx>(
  { log, events, reported }: Flow<Tx>,
  { session, runs }: Claim<Tx>,
  error: unknown,
): Promise<void> {
  for (const { info } of runs) {
    log.warn({ err: error, ...info }, 'the claim was lost; its jobs are claimable again');
    events.emit('lost', info, error);
  }
  await session.rollback();
  if (isDriverError(error, 'ConnectionLost') || error instanceof ClaimLostError) return;
  // Of these jobs alone: others are to be claimed.
  const isKnown = runs.some(({ jobs: [{ publicId }] }) => reported.refused.hasFailed(publicId));
  if (!isKnown || !mayBeOfOne(error)) throw error;
}
