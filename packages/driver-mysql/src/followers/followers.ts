import type { Followers } from '@rowlock/core/driver';
import type { MysqlTransaction } from '../query.js';
import type { Statements } from '../statements.js';
import { admit } from '../store/followers.js';
import type { InTransaction } from '../store/in-transaction.js';

export function followersOf(on: MysqlTransaction, sql: Statements, inTransaction: InTransaction): Followers {
  return { admit: (look) => admit(sql, on, inTransaction, look) };
}
