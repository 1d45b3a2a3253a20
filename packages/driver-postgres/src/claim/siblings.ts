import type { DependencyQuestion, Entities } from '@rowlock/core/driver';
import type { Statements } from '../statements.js';
import type { Asking } from './asking.js';

/** NOWAIT. One key has a statement of its own. */
export function lockingSiblings(sql: Statements, { queue, keys }: Entities, limit: number): Asking {
  const [key, ...others] = keys;
  return others.length === 0
    ? { text: sql.lockKey, values: [queue, key, limit], given: 1 }
    : { text: sql.lockSiblings, values: [queue, keys, limit], given: keys.length };
}

/** The first outstanding job that others wait for. */
export function firstOutstanding(sql: Statements, question: DependencyQuestion): Asking {
  const { key, kinds, before, except } = question;
  return { text: sql.firstOutstanding, values: [key, kinds, before, except], given: 1 };
}
