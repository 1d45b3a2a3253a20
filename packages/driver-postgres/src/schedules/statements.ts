import type { Tables } from '../schema/tables.js';
import { WITHIN } from '../values/within.js';

const ms = (time: string): string => `floor(extract(epoch FROM ${time}) * 1000)::float8`;
const time = (value: string): string => `to_timestamp(${value} / 1000)`;

/** Milliseconds until the first schedule is due. */
export const untilFirst = (schedule: string): string =>
  `(SELECT (extract(epoch FROM min(next_at) - statement_timestamp()) * 1000)::float8 FROM ${schedule} WHERE paused_at IS NULL)`;

/** The database's time, and schedules. One row without a name if there are none. */
const SEEN = `${ms('statement_timestamp()')} AS now, name, plan, fingerprint, source, ${ms('next_at')} AS next_at,
  ${ms('fired_at')} AS fired_at, ${ms('paused_at')} AS paused_at, paused_by, ${ms('updated_at')} AS updated_at, updated_by`;

/** The schedules, and the moves to their next times. */
export const scheduleStatements = ({ schedule }: Tables) => ({
  findSchedules: `
      SELECT to_json(seen)::text AS answer FROM (
        SELECT ${SEEN} FROM (SELECT) AS one
        LEFT JOIN ${schedule} ON $1::text[] IS NULL OR name = ANY($1::text[])
        WHERE true ${WITHIN}
        ORDER BY name LIMIT 1000) AS seen`,

  dueSchedules: `
      SELECT ${SEEN}, ${untilFirst(schedule)} AS next_ms FROM (SELECT) AS one
      LEFT JOIN LATERAL (
        SELECT * FROM ${schedule}
        WHERE paused_at IS NULL AND next_at <= statement_timestamp() AND name <> ALL($1::text[])
        ORDER BY next_at LIMIT $2
      ) AS due ON true
      ORDER BY due.next_at`,

  setSchedule: `
      INSERT INTO ${schedule} AS schedule (name, plan, fingerprint, source, next_at, updated_by)
      SELECT $1::text, $2::jsonb, $3::text, $4::text, ${time('$5::float8')}, $6::text WHERE true ${WITHIN}
      ON CONFLICT (name) DO UPDATE
      SET plan = excluded.plan, fingerprint = excluded.fingerprint, source = excluded.source,
          next_at = CASE WHEN $7::boolean THEN schedule.next_at ELSE excluded.next_at END,
          updated_at = clock_timestamp(), updated_by = excluded.updated_by
      WHERE schedule.fingerprint <> excluded.fingerprint OR schedule.source <> excluded.source`,

  pauseSchedule: `
      UPDATE ${schedule} SET paused_by = CASE WHEN paused_at IS NULL THEN $2::text ELSE paused_by END,
                             paused_at = coalesce(paused_at, clock_timestamp())
      WHERE name = $1::text ${WITHIN}
      RETURNING name`,

  resumeSchedule: `
      UPDATE ${schedule} SET paused_at = NULL, paused_by = NULL, next_at = ${time('$3::float8')}
      WHERE name = $1::text AND fingerprint = $2::text AND paused_at IS NOT NULL ${WITHIN}
      RETURNING name`,

  removeSchedule: `DELETE FROM ${schedule} WHERE name = $1::text ${WITHIN} RETURNING name`,

  // The lock checks the conditions again: another worker may have moved the schedule since the snapshot.
  moveSchedules: `
      WITH given AS (
        SELECT * FROM unnest($1::text[], $2::float8[], $3::text[], $4::float8[], $5::boolean[])
          AS given (name, at, fingerprint, next_at, fires)
      ), free AS MATERIALIZED (
        SELECT schedule.name FROM ${schedule} AS schedule JOIN given USING (name)
        WHERE schedule.next_at = ${time('given.at')} AND schedule.fingerprint = given.fingerprint AND paused_at IS NULL
        ORDER BY schedule.name
        FOR UPDATE OF schedule SKIP LOCKED
      )
      UPDATE ${schedule} AS schedule
      SET next_at = ${time('given.next_at')}, fired_at = CASE WHEN fires THEN clock_timestamp() ELSE fired_at END
      FROM given JOIN free USING (name)
      WHERE schedule.name = given.name
      RETURNING schedule.name`,
});
