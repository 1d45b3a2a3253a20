import type { ClaimCriteria, ClaimSession, Finished, Settlement } from '../../driver/claim-session.js';
import { isDriverError } from '../../driver/driver-error.js';
import { ClaimLostError } from '../../errors.js';
import type { Run } from '../run/run.js';
import type { Flow } from './context.js';

/** The settlements to write, and those to write instead if that fails. */
export interface Settlements {
  readonly settlements: readonly Settlement[];
  readonly instead: (error: unknown) => readonly Settlement[];
}

/** How runs ended, each for its own jobs. */
export function settlementsOf<Tx>(
  { host }: Pick<Flow<Tx>, 'host'>,
  runs: readonly Run<Tx>[],
  tookMs: number,
): Settlements {
  const policy = { tookMs, by: host };
  return {
    settlements: runs.flatMap((run) => run.settlements(policy)),
    instead: (error) => runs.flatMap((run) => run.retries(policy, error)),
  };
}

/**
 * Writes the outcomes and commits them durably. A handler may have broken the transaction, for example with a failed
 * statement that it swallowed, or with a deferred constraint. Then its writes are undone and its jobs are retried.
 *
 * @param behind The claim to make right behind the commit
 * @returns what was written, and the next claim
 * @throws ClaimLostError, DriverError
 */
export async function settleHeld<Tx>(
  session: ClaimSession<Tx>,
  { settlements, instead }: Settlements,
  behind?: ClaimCriteria,
): Promise<{ readonly written: readonly Settlement[]; readonly next: Finished['next'] }> {
  let written = settlements;
  const { settled, next } = await session.finish(settlements, behind).catch(async (error: unknown) => {
    if (!session.used || isDriverError(error, 'ConnectionLost')) throw error;
    await session.undo().catch((cause: unknown) => {
      throw isDriverError(cause, 'TransactionOver') ? error : cause;
    });
    written = instead(error);
    return session.finish(written, behind);
  });
  // The next claim reports its own failure when it is awaited.
  next?.catch(() => {});
  if (settled.length < settlements.length) throw lostClaim(settlements);
  return { written, next };
}

export function lostClaim([first]: readonly Settlement[]): ClaimLostError {
  return new ClaimLostError(first?.runId ?? '');
}
