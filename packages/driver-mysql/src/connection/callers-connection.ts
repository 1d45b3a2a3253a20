import { DriverError } from '@rowlock/core';
import type { CallersTx } from '@rowlock/core/driver';
import type { MysqlTransaction } from '../query.js';
import { asMysqlTransaction } from './adapted-transaction.js';

/**
 * A caller's transaction, with the methods of `mysql2/promise`. A connection of `mysql2` with callbacks gives them itself.
 *
 * The client writes values in the character set of the connection. A character that the set lacks becomes a question mark. A connection
 * that does not expose its settings is accepted.
 *
 * @throws DriverError `InvalidInput`
 */
export function callersConnection(tx: CallersTx<MysqlTransaction>): MysqlTransaction {
  const { connection, config, query, getConnection, promise } = Object(tx);
  if (typeof query !== 'function' || typeof getConnection === 'function')
    throw new DriverError(
      'InvalidInput',
      "'tx' must be a connection with an open transaction: of a pool, what its getConnection() gives.",
    );
  const { charsetNumber } = Object(connection?.config ?? config);
  if (typeof charsetNumber === 'number' && !isUtf8mb4(charsetNumber))
    throw new DriverError('InvalidInput', "The connection of a 'tx' must have the charset utf8mb4.");
  if (!hasExecute(tx)) return asMysqlTransaction(tx);
  return typeof promise === 'function' ? promise.call(tx) : tx;
}

function hasExecute(tx: CallersTx<MysqlTransaction>): tx is MysqlTransaction {
  return typeof Object(tx).execute === 'function';
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
