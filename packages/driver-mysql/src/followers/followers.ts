import type { Followers } from '@rowlock/core/driver';
import type { InTransaction } from '../jobs/in-transaction.js';
import type { MysqlTransaction } from '../query.js';
import type { Statements } from '../statements.js';
import { admit } from './admit.js';

export function followersOf(on: MysqlTransaction, sql: Statements, inTransaction: InTransaction): Followers {
  return { admit: (look, except = []) => admit(sql, on, inTransaction, look, except) };
}
