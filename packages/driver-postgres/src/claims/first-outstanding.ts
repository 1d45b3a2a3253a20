import type { DependencyQuestion } from '@rowlock/core/driver';
import type { Statements } from '../statements.js';
import type { ClaimStatement } from './claim-statement.js';

/** The first outstanding job that blocks others. */
export function firstOutstanding(sql: Statements, question: DependencyQuestion): ClaimStatement {
  const { key, kinds, before, except } = question;
  return { text: sql.siblings.firstOutstanding, values: [key, kinds, before, except], given: 1 };
}
