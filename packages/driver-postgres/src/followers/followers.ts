import type { Followers } from '@rowlock/core/driver';
import type { PostgresTransaction } from '../query.js';
import type { Statements } from '../statements.js';
import { admit } from './admit.js';

export function followersOf(on: PostgresTransaction, sql: Statements): Followers {
  return { admit: (look, except = []) => admit(on, sql, look, except) };
}
