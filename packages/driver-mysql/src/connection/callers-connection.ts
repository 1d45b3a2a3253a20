import { DriverError } from '@rowlock/core';
import type { MysqlTransaction } from '../query.js';

/**
 * Checks the character set of a caller's connection. The client writes values in that set. A character that the set lacks becomes a
 * question mark. A connection that does not expose its settings is accepted.
 *
 * @throws DriverError `InvalidInput`
 */
export function checkCallersConnection(tx: MysqlTransaction): void {
  const { connection, config, execute, getConnection } = Object(tx);
  if (typeof execute !== 'function' || typeof getConnection === 'function')
    throw new DriverError(
      'InvalidInput',
      "'tx' must be a connection with an open transaction: of a pool, what its getConnection() gives.",
    );
  const { charsetNumber } = Object(connection?.config ?? config);
  if (typeof charsetNumber === 'number' && !isUtf8mb4(charsetNumber))
    throw new DriverError('InvalidInput', "The connection of a 'tx' must have the charset utf8mb4.");
}

/** Whether a collation, by its number, is of utf8mb4. Numbers from 576 on are MariaDB's, and may be of any character set. */
function isUtf8mb4(collation: number): boolean {
  const ranges = [
    [45, 46],
    [224, 247],
    [255, 323],
    [576, Number.POSITIVE_INFINITY],
  ] as const;
  return ranges.some(([first, last]) => collation >= first && collation <= last);
}
