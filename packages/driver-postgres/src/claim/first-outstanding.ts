import type { DependencyQuestion } from '@rowlock/core/driver';
import type { Statements } from '../statements.js';
import type { Asking } from './asking.js';

/** The first outstanding job that blocks others. */
export function firstOutstanding(sql: Statements, question: DependencyQuestion): Asking {
  const { key, kinds, before, except } = question;
  return { text: sql.firstOutstanding, values: [key, kinds, before, except], given: 1 };
}
