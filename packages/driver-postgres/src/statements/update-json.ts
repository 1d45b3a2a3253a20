import { EXACT, REFUSED, type RefusalReason } from '@rowlock/core/driver';

/** Fails with an error that quotes this text. The text depends on a row, so no planner computes it ahead. */
const refuse = (reason: RefusalReason): string =>
  `to_jsonb((format('${REFUSED}%s ${reason}', step -> 'operation'))::boolean)`;

/** The exact sum of `found` and `addend`. */
const SUM = `
            CASE WHEN CASE
                   WHEN found = trunc(found) AND addend = trunc(addend)
                     THEN greatest(abs(found), abs(found + addend)) <= ${EXACT.mostWhole}
                   ELSE found = round(found, ${EXACT.decimalPlaces}) AND abs(found + addend) < ${EXACT.belowDecimal}
                 END
              THEN to_jsonb(trim_scale(found + addend)) ELSE ${refuse('inexact')} END`;

/** What each step puts in the place of `here`, whose type is `kind`. NULL leaves it as it is. A missing value has the type of null. */
const STEPS = `CASE step ->> 'do'
          WHEN 'set' THEN step -> 'value'
          WHEN 'object' THEN CASE kind WHEN 'object' THEN NULL WHEN 'null' THEN '{}'::jsonb ELSE ${refuse('not-an-object')} END
          WHEN 'item' THEN CASE kind
            WHEN 'array' THEN
              CASE WHEN jsonb_array_length(here) > (step ->> 'index')::integer THEN NULL ELSE ${refuse('no-item')} END
            WHEN 'null' THEN ${refuse('no-item')}
            ELSE ${refuse('not-an-array')} END
          WHEN 'maybe-object' THEN CASE WHEN kind IN ('object', 'null') THEN NULL ELSE ${refuse('not-an-object')} END
          WHEN 'maybe-array' THEN CASE WHEN kind IN ('array', 'null') THEN NULL ELSE ${refuse('not-an-array')} END
          WHEN 'append' THEN CASE kind
            WHEN 'array' THEN here || (step -> 'items')
            WHEN 'null' THEN step -> 'items'
            ELSE ${refuse('not-an-array')} END
          WHEN 'merge' THEN
            (CASE kind WHEN 'object' THEN here ELSE '{}'::jsonb END - (step ->> 'without')::text[]) || (step -> 'members')
          WHEN 'increment' THEN CASE kind
            WHEN 'number' THEN (
              SELECT ${SUM}
              FROM (SELECT (here #>> '{}')::numeric AS found, (step ->> 'by')::numeric AS addend) AS numbers)
            WHEN 'null' THEN step -> 'by'
            ELSE ${refuse('not-a-number')} END
          WHEN 'limit' THEN
            CASE WHEN octet_length(json::text) <= (step ->> 'bytes')::integer THEN NULL ELSE ${refuse('too-large')} END
        END`;

/**
 * JSON after some steps, as an expression. It takes one step after the other. A nest of expressions would have each one
 * several times, and so grow by a factor with each step. OFFSET 0 keeps the planner from such a nest.
 *
 * @param json A column. Null counts as missing.
 * @param steps The steps, as `stepsText` writes them: a placeholder.
 */
export const afterSteps = (json: string, steps: string): string => {
  const list = `${steps}::text::jsonb`;
  return `(
    WITH RECURSIVE change (place, json) AS (
      SELECT 0, ${json}::jsonb
      UNION ALL
      SELECT place + 1, CASE
          WHEN step ->> 'do' = 'remove' THEN CASE WHEN here IS NULL THEN json ELSE json #- path END
          WHEN there IS NULL THEN json
          WHEN path = '{}' THEN there
          ELSE jsonb_set(json, path, there)
        END
      FROM (
        SELECT *, ${STEPS} AS there
        FROM (
          SELECT *, json #> path AS here, coalesce(jsonb_typeof(json #> path), 'null') AS kind
          FROM (
            SELECT *, (step ->> 'at')::text[] AS path
            FROM (SELECT *, ${list} -> place AS step FROM change WHERE place < jsonb_array_length(${list}) OFFSET 0) AS next
            OFFSET 0
          ) AS placed
          OFFSET 0
        ) AS met
        OFFSET 0
      ) AS done
    )
    SELECT json FROM change WHERE place = jsonb_array_length(${list}))`;
};
