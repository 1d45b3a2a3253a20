import { setTimeout } from 'node:timers/promises';
import { DriverError, isDriverError } from '@rowlock/core';

/**
 * How long a migration waits for a table, time after time, in seconds. All claims wait behind it meanwhile. The first times find
 * the moment in which no transaction uses the table, and the last ones outlast the handlers that run.
 */
const WAITS_S = [1, 2, 4, 8, 16, 32];

/** How long the queue goes on in between, in milliseconds. */
const BETWEEN_MS = 1_000;

/**
 * Tries a migration again while transactions use its tables.
 *
 * @param attempt What is tried, with the most seconds to wait for each lock.
 * @throws DriverError `LockTimeout` when a transaction is in the way for more than a minute.
 */
export async function despiteLocks<Result>(
  attempt: (lockSeconds: number) => Promise<Result>,
): Promise<Result> {
  let cause: unknown;
  for (const seconds of WAITS_S)
    try {
      return await attempt(seconds);
    } catch (error) {
      if (!isDriverError(error, 'LockTimeout') && !isDriverError(error, 'Deadlock')) throw error;
      cause = error;
      await setTimeout(BETWEEN_MS);
    }
  throw new DriverError(
    'LockTimeout',
    'Transactions have used a table that migrate() changes for more than a minute, so it gave up and left it as it was. ' +
      'End the one that stays open, which `rowlock doctor` names, or pause the work, and migrate again.',
    { cause },
  );
}
