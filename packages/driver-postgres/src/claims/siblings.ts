import type { Entities } from '@rowlock/core/driver';
import type { Statements } from '../statements.js';
import type { ClaimStatement } from './claim-statement.js';

/** Uses NOWAIT. One key has its own statement. */
export function lockingSiblings(sql: Statements, { queue, keys }: Entities, limit: number): ClaimStatement {
  const [key, ...others] = keys;
  return others.length === 0
    ? { text: sql.siblings.lockKey, values: [queue, key, limit], given: 1 }
    : { text: sql.siblings.lockSiblings, values: [queue, keys, limit], given: keys.length };
}
