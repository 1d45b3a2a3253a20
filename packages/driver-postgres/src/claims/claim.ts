import type { ClaimCriteria, Size } from '@rowlock/core/driver';
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
  return { text: sql.claims.claimLimited, values: [...values, ...entering], given: 1 };
}

/** Also locks a slot of the job's only limit. The second statement shows whether the slot is free. */
export function claimingWithSlot(
  sql: Statements,
  criteria: ClaimCriteria,
  { name, max }: Size,
): readonly [ClaimStatement, ClaimStatement] {
  const { queue, kinds, line, busy, limits } = criteria;
  // If all began at the first slot, each would try those of all the others.
  const first = 1 + Math.floor((Math.random() * Math.min(max, 64)) / 2);
  return [
    {
      text: sql.claims.claimWithSlot,
      values: [queue, line.priority, line.id, kinds, busy, limits, name, first],
      given: 1,
    },
    { text: sql.claims.checkSlot, values: [name, max], given: 1 },
  ];
}

/** Uses SKIP LOCKED. A claim of one job has its own statement, whose plan fits any values. */
export function claiming(sql: Statements, criteria: ClaimCriteria): ClaimStatement {
  const { queue, kinds, line, busy, limit } = criteria;
  const values = [queue, line.priority, line.id, kinds, busy];
  return limit === 1
    ? { text: sql.claims.claimOne, values, given: 1 }
    : { text: sql.claims.claim, values: [...values, limit], given: 1 };
}
