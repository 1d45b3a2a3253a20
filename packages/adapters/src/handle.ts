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

/** The `tx` of a handler. */
export type Handle = PostgresHandle | MysqlHandle;

/** @param name The adapter's, for the message. @throws InvalidInputError for what is no handler's `tx` */
export function isMysqlHandle(name: string, tx: Handle): tx is MysqlHandle {
  if (typeof tx !== 'object' || tx === null || !isOwnHandle(tx) || typeof tx.query !== 'function')
    throw noneOf(
      name,
      "the `tx` of a handler, on Postgres or MySQL, and no pool and no client's transaction",
    );
  return 'execute' in tx;
}
