import type { Lanes, Survey } from '@rowlock/core/driver';
import type { NamedStatements } from '../connection/named-statements.js';
import { type PostgresTransaction, query } from '../query.js';
import type { Statements } from '../statements.js';

interface SurveyRow {
  promoted: bigint;
  next_due_ms: number | null;
  waiting: 'unlimited' | 'limited' | null;
  leased: boolean;
  limited: boolean;
  followers: boolean;
  next_tick_ms: number | null;
}

/** Finds the queues with due jobs. @throws DriverError */
export async function dueQueues(
  on: PostgresTransaction,
  sql: Statements,
  names: NamedStatements,
  { queues, kinds }: Lanes,
): Promise<readonly string[]> {
  const name = names.nameOf(sql.surveys.dueQueues, queues.length);
  const rows = await query<{ queue: string }>(on, sql.surveys.dueQueues, [queues, kinds], name);
  return rows.map(({ queue }) => queue);
}

/** Finds the work that a worker can wait for, and makes delayed jobs due. @throws DriverError */
export async function survey(
  on: PostgresTransaction,
  sql: Statements,
  names: NamedStatements,
  { queues, kinds }: Lanes,
): Promise<Survey> {
  const name = names.nameOf(sql.surveys.survey, queues.length);
  const [row] = await query<SurveyRow>(on, sql.surveys.survey, [queues, kinds], name);
  const { promoted = 0n, next_due_ms: nextDueMs = null } = row ?? {};
  const { waiting = null, leased = false, limited = false, next_tick_ms: nextTickMs = null } = row ?? {};
  const found = { waiting: waiting !== null, unlimited: waiting === 'unlimited', leased, limited };
  const { followers = false } = row ?? {};
  return { promoted: Number(promoted), nextDueMs, ...found, followers, nextTickMs };
}
