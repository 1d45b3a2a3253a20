import { ms } from '../../jobs/statements/columns.js';
import type { Tables } from '../../schema/tables.js';

/** A pause that has ended stays in the table until the next one is set. */
const LIVE = '(stop.paused_until IS NULL OR stop.paused_until > UTC_TIMESTAMP(6))';

/**
 * Conditions on work that is paused: numbers of pauses. As subqueries of IN or EXISTS the server would join them, and lock
 * the rows of jobs before it looks at the pauses. The server counts those that name no column of a job once for a statement.
 */
export const pauseConditions = ({ pause }: Pick<Tables, 'pause'>) => {
  const stops = (which: string): string =>
    `(SELECT COUNT(*) FROM ${pause} AS stop WHERE ${which} AND ${LIVE})`;
  const none = (scope: 'kind' | 'limit', which: string): string =>
    `(${stops(`stop.scope = '${scope}'`)} = 0 OR ${stops(`stop.scope = '${scope}' AND ${which}`)} = 0)`;
  return {
    /** Whether neither all work nor that of a queue is paused. */
    isQueueOpen: (queue: string): string => `${stops(ofQueue(queue))} = 0`,

    /** Whether none of these limits and rates is paused. */
    areLimitsOpen: (names: string): string =>
      `${stops(`stop.scope = 'limit' AND stop.name IN (${names})`)} = 0`,

    /** Whether a job's kind is not paused. The second count, for each job, is made only while a kind is paused. */
    isKindOpen: (kind: string): string => none('kind', `stop.name = ${kind}`),

    /** Whether no limit or rate of a text is paused. Each name follows a bracket or a comma, as JSON without blanks. */
    isTextOpen: (limits: string): string => none('limit', isIn(limits)),

    /** How often a job of this queue and kind is paused. */
    pausesOf: (queue: string, kind: string): string =>
      `(${stops(ofQueue(queue))} + ${stops(`stop.scope = 'kind' AND stop.name = ${kind}`)})`,

    /** Milliseconds until the first pause ends. NULL if none does. */
    firstEnd: `SELECT CAST(TIMESTAMPDIFF(MICROSECOND, UTC_TIMESTAMP(6), MIN(stop.paused_until)) / 1000 AS CHAR)
        FROM ${pause} AS stop WHERE stop.paused_until > UTC_TIMESTAMP(6)`,
  };
};

/** Of all, and of a queue. Only the pause of all has no name. Each subquery makes a claim of one job take about 5 % longer. */
const ofQueue = (queue: string): string => `stop.scope IN ('all', 'queue') AND stop.name IN ('', ${queue})`;

const isIn = (limits: string): string =>
  `(LOCATE(CONCAT('{', JSON_QUOTE(stop.name), ':'), ${limits}) = 1 OR LOCATE(CONCAT(',', JSON_QUOTE(stop.name), ':'), ${limits}) > 0)`;

/** The pauses: to set, to end and to list. */
export const pauseStatements = ({ pause }: Tables) => {
  // The assignments are made in their order, so the condition's own column comes last.
  const pausing = (replaces: string): string => {
    const given = (column: string): string =>
      `${column} = IF(${replaces}, ${column === 'paused_at' ? 'UTC_TIMESTAMP(6)' : `VALUES(${column})`}, ${column})`;
    return `
      INSERT INTO ${pause} (scope, name, paused_until, reason, paused_by)
      VALUES (?, ?, '1970-01-01' + INTERVAL ROUND(? * 1000) MICROSECOND, ?, ?)
      ON DUPLICATE KEY UPDATE ${['reason', 'paused_by', 'paused_at', 'paused_until'].map(given).join(', ')}`;
  };

  return {
    pause: pausing('TRUE'),

    // A pause without an end is not shorter.
    extendPause: pausing('paused_until < VALUES(paused_until)'),

    /** Whether a pause is there: see `isThere`. */
    lockPause: `SELECT 1 FROM ${pause} WHERE scope = ? AND name = ? FOR UPDATE NOWAIT`,

    resume: `DELETE FROM ${pause} WHERE scope = ? AND name = ?`,

    // Skips a pause that others are changing.
    endPauses: `
      DELETE stop FROM (
        SELECT scope, name FROM ${pause} AS old FORCE INDEX (pause_end)
        WHERE paused_until <= UTC_TIMESTAMP(6) ORDER BY paused_until LIMIT 1000 FOR UPDATE SKIP LOCKED
      ) AS ended STRAIGHT_JOIN ${pause} AS stop FORCE INDEX (PRIMARY) ON stop.scope = ended.scope AND stop.name = ended.name`,

    pauses: `
      SELECT stop.scope, stop.name, CAST(${ms('stop.paused_until')} AS CHAR) AS ends_at, stop.reason, stop.paused_by,
             CAST(${ms('stop.paused_at')} AS CHAR) AS paused_at
      FROM ${pause} AS stop WHERE ${LIVE} ORDER BY stop.scope, stop.name LIMIT 1000`,
  };
};
