import type { Tables } from '../../schema/tables.js';
import { unseen } from '../../values/unseen.js';

const NAMES = unseen('$1', 'text[]');

/** The starts of limits. */
export const rateStatements = (tables: Tables) => {
  const { rate, limitSetting } = tables;
  return {
    // The generic cell rate algorithm, as `startAt` in core. A rate without a row is missing in the answer, and nothing is taken.
    takeStarts: `
      WITH locked AS MATERIALIZED (
        SELECT name, next_at FROM ${rate} WHERE name = ANY(${NAMES}) ORDER BY name COLLATE "C" FOR NO KEY UPDATE
      ), moment AS MATERIALIZED (
        -- Behind the locks: earlier takers have used their times.
        SELECT clock_timestamp() AS now, count(*) = cardinality($1::text[]) AS is_whole FROM locked
      ), numbered AS MATERIALIZED (
        SELECT given.place, name, next_at AS before, now, is_whole, coalesce(fixed.burst, given.burst) AS burst,
               -- Rounded up, so that no more starts fit.
               (coalesce(fixed.per_ms, given.per_ms) * 1000 + coalesce(fixed.starts, given.starts) - 1)
                 / coalesce(fixed.starts, given.starts) * interval '1 microsecond' AS spacing
        FROM unnest(${NAMES}, $2::integer[], $3::bigint[], $4::integer[]) WITH ORDINALITY
          AS given (name, starts, per_ms, burst, place)
        JOIN locked USING (name)
        LEFT JOIN ${limitSetting} AS fixed USING (name)
        CROSS JOIN moment
      ), waiting AS MATERIALIZED (
        -- A time that is later than any start could have made it is of a clock that was put back.
        SELECT *, CASE WHEN before > now + burst * spacing + interval '5 seconds' THEN now + burst * spacing ELSE before END AS next
        FROM numbered
      ), start AS MATERIALIZED (
        SELECT *, next - (burst - 1) * spacing > now AS is_used_up FROM waiting
      ), taken AS (
        UPDATE ${rate} AS rate
        SET next_at = CASE WHEN is_free THEN greatest(next, now) + spacing ELSE next END,
            last_take = CASE WHEN is_free THEN $5::uuid ELSE last_take END,
            before_take = CASE WHEN is_free THEN before ELSE before_take END
        FROM start CROSS JOIN (SELECT bool_and(is_whole AND NOT is_used_up) AS is_free FROM start) AS every_rate
        WHERE rate.name = start.name AND (is_free OR next <> before)
      )
      SELECT CASE WHEN is_used_up THEN extract(epoch FROM next - (burst - 1) * spacing - now) * 1000 ELSE 0 END AS wait_ms
      FROM start
      ORDER BY place`,

    addRates: `INSERT INTO ${rate} (name) SELECT name FROM unnest($1::text[]) AS name ORDER BY name COLLATE "C" ON CONFLICT DO NOTHING`,

    // Another start since then has counted its pauses from this one.
    giveBackStarts: `
      WITH own AS MATERIALIZED (
        SELECT name FROM ${rate} WHERE name = ANY(${NAMES}) AND last_take = $2::uuid ORDER BY name COLLATE "C" FOR NO KEY UPDATE
      )
      UPDATE ${rate} AS rate SET next_at = before_take, last_take = NULL FROM own WHERE rate.name = own.name`,
  };
};
