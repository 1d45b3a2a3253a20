import type { Tables } from '../../schema/tables.js';
import { WITHIN } from '../../values/within.js';
import { notifying, rung } from '../../workers/statements/bell.js';

/** A pause that has ended stays in the table until the next one is set. */
const LIVE = '(paused_until IS NULL OR paused_until > statement_timestamp())';

/**
 * Conditions on work that is paused. The subqueries name no column of a job, so the server makes each once for a statement,
 * and only when it is needed. The exception is that of a text of limits.
 */
export const pauseConditions = ({ pause }: Pick<Tables, 'pause'>) => {
  const names = (scope: 'queue' | 'kind'): string =>
    `ARRAY(SELECT name FROM ${pause} WHERE scope = '${scope}' AND ${LIVE})`;
  return {
    /** Whether all work, or the work of a queue, is paused. */
    isQueuePaused: (queue: string): string =>
      `EXISTS (SELECT FROM ${pause} WHERE (scope = 'all' OR scope = 'queue' AND name = ${queue}) AND ${LIVE})`,

    /** Whether all work, or the work of a queue or with one of a text's limits and rates, is paused. */
    isPartPaused: (queue: string, text: string): string =>
      `EXISTS (SELECT FROM ${pause} WHERE (scope = 'all' OR scope = 'queue' AND name = ${queue} OR scope = 'limit' AND ${text}::jsonb ? name) AND ${LIVE})`,

    isAllPaused: `EXISTS (SELECT FROM ${pause} WHERE scope = 'all' AND ${LIVE})`,

    pausedQueues: names('queue'),
    pausedKinds: names('kind'),

    /** Whether a row's kind is not paused. See statements/claim.ts for coalesce(). */
    isKindOpen: `coalesce(kind <> ALL(${names('kind')}), true)`,

    /** Whether one of the limits and rates of a text is paused. For each text. */
    isLimitPaused: (text: string): string =>
      `EXISTS (SELECT FROM ${pause} WHERE scope = 'limit' AND ${LIVE} AND ${text}::jsonb ? name)`,

    /** When the first pause ends. */
    firstEnd: `SELECT min(paused_until) FROM ${pause} WHERE paused_until > statement_timestamp()`,
  };
};

/** The pauses: to set, to end and to list. */
export const pauseStatements = (tables: Tables) => {
  const { pause } = tables;
  /** Skips an ended pause that others are changing. */
  const pausing = (replaces: string): string => `
      WITH changed AS (
        INSERT INTO ${pause} AS pause (scope, name, paused_until, reason, paused_by)
        SELECT $1::text, $2::text, $5::timestamptz, $6::text, $7::text WHERE true ${WITHIN}
        ON CONFLICT (scope, name) DO UPDATE
        SET paused_until = excluded.paused_until, reason = excluded.reason, paused_by = excluded.paused_by,
            paused_at = clock_timestamp()
        ${replaces}
      ), ended AS (
        DELETE FROM ${pause} WHERE (scope, name) IN (
          SELECT scope, name FROM ${pause}
          WHERE paused_until <= statement_timestamp() AND (scope, name) <> ($1::text, $2::text)
          FOR UPDATE SKIP LOCKED)
      ), ${rung(tables, '$4')}
      SELECT ${notifying('$3', '$4')}`;

  return {
    pause: pausing(''),

    // A pause without an end is not shorter.
    extendPause: pausing('WHERE pause.paused_until < excluded.paused_until'),

    resume: `
      WITH changed AS (
        DELETE FROM ${pause} WHERE scope = $1::text AND name = $2::text ${WITHIN}
      ), ${rung(tables, '$4')}
      SELECT ${notifying('$3', '$4')}`,

    pauses: `
      SELECT json_build_object('scope', scope, 'name', name, 'until', extract(epoch FROM paused_until) * 1000, 'reason', reason,
                               'by', paused_by, 'paused_at', extract(epoch FROM paused_at) * 1000)::text AS answer
      FROM ${pause}
      WHERE ${LIVE} ${WITHIN}
      ORDER BY scope COLLATE "C", name COLLATE "C"
      LIMIT 1000`,
  };
};
