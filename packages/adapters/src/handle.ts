import { isOwnHandle } from '@rowlock/sql-drivers';
import { noneOf } from './adapted.js';

/** The `tx` of a handler on Postgres. */
export interface PostgresHandle {
  query(text: string, values?: unknown[]): Promise<{ rows: unknown[] }>;
}

/** The `tx` of a handler on MySQL. */
export interface MysqlHandle {
  execute(sql: string, values?: unknown): Promise<unknown[]>;
  query(sql: string, values?: unknown): Promise<unknown[]>;
}

/** The `tx` of a handler, or a connection with an open transaction that stands for it in a test of the handler. */
export type Handle = PostgresHandle | MysqlHandle;

/** @param name The adapter's, for the message. @throws InvalidInputError for what is no handler's `tx`, and stands for none */
export function isMysqlHandle(name: string, tx: Handle): tx is MysqlHandle {
  if (
    typeof tx !== 'object' ||
    tx === null ||
    typeof tx.query !== 'function' ||
    !(isOwnHandle(tx) || isStandIn(tx))
  )
    throw noneOf(
      name,
      'the `tx` of a handler, on Postgres or MySQL, or for a test a connection of pg or mysql2/promise on which a transaction is open, and no pool',
    );
  return 'execute' in tx;
}

/** Whether it is a connection that may stand for a handler's `tx`. One of `mysql2` does not say whether a transaction is open. */
function isStandIn(tx: object): boolean {
  const { getTransactionStatus, getConnection, connection } = Object(tx);
  if (typeof getTransactionStatus === 'function') return /^[TE]$/.test(getTransactionStatus.call(tx));
  return typeof getConnection !== 'function' && connection?.config !== undefined;
}
