import type { RunTransaction, Settlement } from '../../driver/claim-session.js';
import { type DriverError, isDriverError } from '../../driver/driver-error.js';
import { ClaimLostError } from '../../errors.js';

/** What becomes of a settlement that the database has refused. */
export interface Refusals {
  /** What any database can write in place of it. */
  readonly reduced: (settlement: Settlement, error: unknown) => Settlement;
  /** That was refused too, so the job stays as it is. */
  readonly left: (settlement: Settlement, error: unknown) => void;
}

/**
 * Writes each settlement by itself, after the database has refused them together. A reduced settlement takes the place
 * of each that the database refuses, so that no other job suffers for it. A job whose row it refuses to change at all is
 * left out.
 *
 * @returns what was written, with a release for each that was left out
 * @throws ClaimLostError, DriverError
 */
export async function settleEach<Tx>(
  tx: Pick<RunTransaction<Tx>, 'settle'>,
  settlements: readonly Settlement[],
  { reduced, left }: Refusals,
): Promise<readonly Settlement[]> {
  const written: Settlement[] = [];
  for (const settlement of settlements) {
    const settle = async (ending: Settlement): Promise<Settlement> => {
      if ((await tx.settle([ending])).length === 0) throw new ClaimLostError(ending.runId);
      return ending;
    };
    const done = settle(settlement)
      .catch((error: unknown) => {
        if (!isRefusal(error)) throw error;
        return settle(reduced(settlement, error));
      })
      .catch((error: unknown): Settlement => {
        if (!isRefusal(error)) throw error;
        left(settlement, error);
        return { ...settlement, event: 'release' };
      });
    written.push(await done);
  }
  return written;
}

/** Whether the database refuses what is to be written, and would refuse it again. */
export function isRefusal(error: unknown): error is DriverError {
  return isDriverError(error) && !error.isRetryable && !error.isUnsent && error.code !== 'TransactionOver';
}

/** Whether the database has answered, with an error that may pass. A trigger may raise one each time. */
export function mayPass(error: unknown): error is DriverError {
  return isDriverError(error) && error.isRetryable && !error.isUnsent && error.code !== 'ConnectionLost';
}
