import type { RunTransaction, Settlement } from '../../driver/claim-session.js';
import { type DriverError, isDriverError } from '../../driver/driver-error.js';
import { ClaimLostError } from '../../errors.js';

/**
 * Writes each settlement by itself, after the database has refused them together. A reduced settlement takes the place
 * of each that the database refuses, so that no other job suffers for it.
 *
 * @returns what was written
 * @throws ClaimLostError, DriverError
 */
export async function settleEach<Tx>(
  tx: Pick<RunTransaction<Tx>, 'settle'>,
  settlements: readonly Settlement[],
  reduced: (settlement: Settlement, error: unknown) => Settlement,
): Promise<readonly Settlement[]> {
  const written: Settlement[] = [];
  for (const settlement of settlements) {
    const settle = async (ending: Settlement): Promise<Settlement> => {
      if ((await tx.settle([ending])).length === 0) throw new ClaimLostError(ending.runId);
      return ending;
    };
    const done = settle(settlement).catch((error: unknown) => {
      if (!isRefusal(error)) throw error;
      return settle(reduced(settlement, error));
    });
    written.push(await done);
  }
  return written;
}

/** Whether the database refuses what is to be written, and would refuse it again. */
export function isRefusal(error: unknown): error is DriverError {
  return isDriverError(error) && !error.isRetryable && error.code !== 'TransactionOver';
}
