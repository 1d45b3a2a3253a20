import type { ClaimCriteria } from '@rowlock/core/driver';
import type { Statements } from '../statements.js';
import type { ClaimStatement } from './claim-statement.js';
import type { Entry } from './slots.js';

/** Also takes a slot of each limit. */
export function claimingLimited(
  sql: Statements,
  criteria: ClaimCriteria,
  { values: entering }: Entry,
): ClaimStatement {
  const { queue, kinds, line, busy, limits } = criteria;
  const values = [queue, line.priority, line.id, kinds, busy, limits];
  return { text: sql.claimLimited, values: [...values, ...entering], given: 1 };
}

/** Uses SKIP LOCKED. A claim of one job has its own statement, whose plan fits any values. */
export function claiming(sql: Statements, criteria: ClaimCriteria): ClaimStatement {
  const { queue, kinds, line, busy, limit } = criteria;
  const values = [queue, line.priority, line.id, kinds, busy];
  return limit === 1
    ? { text: sql.claimOne, values, given: 1 }
    : { text: sql.claim, values: [...values, limit], given: 1 };
}
