import type { ClaimSession, Settlement } from '../../driver/claim-session.js';
import { isDriverError } from '../../driver/driver-error.js';
import { ClaimLostError } from '../../errors.js';
import { Pause } from '../../job/pause.js';
import type { Lease } from './lease.js';

/** What is to be written, and what instead when that is not possible. */
export interface Settlements {
  readonly settlements: readonly Settlement[];
  readonly instead: (error: unknown) => readonly Settlement[];
}

/**
 * Writes the outcomes and commits them, to the disk. What a handler did to the transaction (a failed statement it swallowed, a
 * constraint that is checked late) may make that impossible: then its writes are undone and its jobs are retried.
 *
 * @param committed May be called as soon as everybody sees them
 * @returns what was written
 * @throws ClaimLostError, DriverError
 */
export async function settleHeld<Tx>(
  tx: ClaimSession<Tx>,
  { settlements, instead }: Settlements,
  committed: () => void,
): Promise<readonly Settlement[]> {
  let written = settlements;
  const settled = await tx.finish(settlements, committed).catch(async (error: unknown) => {
    if (!tx.used || isDriverError(error, 'ConnectionLost')) throw error;
    await tx.undo().catch((cause: unknown) => {
      throw isDriverError(cause, 'TransactionOver') ? error : cause;
    });
    written = instead(error);
    return tx.finish(written);
  });
  if (settled.length < settlements.length) throw lostClaim(settlements);
  return written;
}

function lostClaim([first]: readonly Settlement[]): ClaimLostError {
  return new ClaimLostError(first?.runId ?? '');
}

/**
 * The same for a lease, which outlives its connection: while the database is away it goes on trying. What the handler
 * wrote is gone with the connection: then its jobs are retried. So they are when the database cannot hold what is to be written. Whatever
 * else it says, a handler that has worked for minutes is not to run again for it.
 *
 * @param waits Pauses for some milliseconds; rejects when nobody should wait any longer.
 * @throws ClaimLostError, DriverError
 */
export async function settleLease<Tx>(
  lease: Lease<Tx>,
  { settlements, instead }: Settlements,
  waits: (ms: number, error: unknown) => Promise<void>,
): Promise<readonly Settlement[]> {
  const pause = new Pause(20, 1_000);
  /** What a commit was sent for: found settled, the jobs were settled so. */
  let sent = settlements;
  let now = settlements;
  for (;;) {
    try {
      const settled = await lease.settle(now);
      if (settled.length < now.length) throw lostClaim(now);
      if (!lease.settledBefore) sent = now;
      await lease.commit();
      return sent;
    } catch (error) {
      if (lease.lost.aborted || error instanceof ClaimLostError) throw error;
      if (lease.used || isDriverError(error, 'InvalidInput')) now = instead(error);
      await lease.undo();
      await waits(pause.next(), error);
    }
  }
}
