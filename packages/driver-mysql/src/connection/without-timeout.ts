import type { Pool } from 'mysql2/promise';
import { translated } from '../errors.js';
import type { MysqlTransaction } from '../query.js';
import { withConnection } from './connection.js';

/** The pool for statements without a timeout. @param answerMs The timeout for a free connection, in milliseconds. */
export function poolWithoutTimeout(pool: Pool, answerMs: number): MysqlTransaction {
  return {
    execute: (sql, values) =>
      withConnection(pool, answerMs, (client) => translated(client.execute<never>(sql, values))),
    query: (sql, values) =>
      withConnection(pool, answerMs, (client) => translated(client.query<never>(sql, values))),
  };
}
