import { apart, type Lanes, mayBeOfOne, type Survey } from '@rowlock/core/driver';
import type { NamedStatements } from '../connection/named-statements.js';
import type { SessionSettings } from '../connection/session-settings.js';
import { type PostgresTransaction, query } from '../query.js';
import type { Statements } from '../statements.js';

interface SurveyRow {
  promoted: bigint;
  next_due_ms: number | null;
  waiting: 'unlimited' | 'limited' | null;
  leased: boolean;
  limited: boolean;
  followers: boolean;
  next_expiry_ms: number | null;
  next_tick_ms: number | null;
  sizes: string;
}

export interface SurveyParts {
  readonly on: PostgresTransaction;
  readonly sql: Statements;
  readonly names: NamedStatements;
  readonly settings: Pick<SessionSettings, 'read'>;
}

/** Finds the queues with due jobs. @throws DriverError */
export async function dueQueues(
  { on, sql, names }: SurveyParts,
  { queues, kinds }: Lanes,
): Promise<readonly string[]> {
  const name = names.nameOf(sql.surveys.dueQueues, queues.length);
  const rows = await query<{ queue: string }>(on, sql.surveys.dueQueues, [queues, kinds], name);
  return rows.map(({ queue }) => queue);
}

/**
 * Finds the work that a worker can wait for, and makes delayed jobs due. If the database refuses that of some job, makes the
 * others due apart.
 *
 * @throws DriverError
 */
export async function survey(parts: SurveyParts, lanes: Lanes, except: readonly string[]): Promise<Survey> {
  const { on, sql, names } = parts;
  const { queues } = lanes;
  if (except.length === 0) {
    try {
      const name = names.nameOf(sql.surveys.survey, queues.length);
      return { ...(await look(parts, sql.surveys.survey, lanes, name)), refused: [] };
    } catch (error) {
      if (!mayBeOfOne(error)) throw error;
    }
  }
  const later = await query<{ id: bigint; public_id: string }>(on, sql.surveys.findLater, [queues, except]);
  const { answers, refused } = await apart(later, (some) =>
    query(on, sql.surveys.promote, [some.map(({ id }) => id)]),
  );
  return {
    ...(await look(parts, sql.surveys.surveyAlone, lanes)),
    promoted: answers.flat().length,
    refused: refused.map(({ member, error }) => ({ member: member.public_id, error })),
  };
}

async function look(
  { on, settings }: SurveyParts,
  text: string,
  { queues, kinds }: Lanes,
  name?: string,
): Promise<Omit<Survey, 'refused'>> {
  const [row] = await query<SurveyRow>(on, text, [queues, kinds], name);
  if (row !== undefined) settings.read(row.sizes);
  const { promoted = 0n, next_due_ms: nextDueMs = null } = row ?? {};
  const { waiting = null, leased = false, limited = false, next_tick_ms: nextTickMs = null } = row ?? {};
  const found = { waiting: waiting !== null, unlimited: waiting === 'unlimited', leased, limited };
  const { followers = false, next_expiry_ms: nextExpiryMs = null } = row ?? {};
  return { promoted: Number(promoted), nextDueMs, ...found, followers, nextExpiryMs, nextTickMs };
}
