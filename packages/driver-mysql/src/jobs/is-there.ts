import { isDriverError } from '@rowlock/core';
import { change, query, type Value } from '../query.js';
import type { Scope } from './scope.js';

/**
 * Whether a caller's transaction may change a row: it is there, or somebody has it, as the transaction itself. At REPEATABLE READ a
 * change of no row would lock the gap in its place, and others who insert there would wait for the caller's commit. So this looks from
 * outside, at READ COMMITTED, which locks no gap.
 *
 * @param text Locks the row, NOWAIT.
 * @throws DriverError
 */
export async function isThere(
  { on, outside }: Scope,
  text: string,
  values: readonly Value[],
): Promise<boolean> {
  if (on === outside) return true;
  try {
    if ((await query(outside, text, values)).length > 0) return true;
  } catch (error) {
    // MariaDB's error of NOWAIT is that of a lock wait.
    if (isDriverError(error, 'LockNotAvailable') || isDriverError(error, 'LockTimeout')) return true;
    throw error;
  }
  // The call is refused all the same where the transaction is over.
  await change(on, 'DO 0');
  return false;
}
