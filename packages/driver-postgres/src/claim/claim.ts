import type { ClaimCriteria } from '@rowlock/core/driver';
import type { Statements } from '../statements.js';
import type { ClaimStatement } from './claim-statement.js';

/** Uses SKIP LOCKED. A claim of one job has its own statement, whose plan fits any values. */
export function claiming(sql: Statements, criteria: ClaimCriteria): ClaimStatement {
  const { queue, kinds, line, busy, limit } = criteria;
  const values = [queue, line.priority, line.id, kinds, busy];
  return limit === 1
    ? { text: sql.claimOne, values, given: 1 }
    : { text: sql.claim, values: [...values, limit], given: 1 };
}
