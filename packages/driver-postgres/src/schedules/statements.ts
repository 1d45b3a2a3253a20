import { MOST_FOUND } from '@rowlock/core/driver';
import type { Tables } from '../schema/tables.js';
import { WITHIN } from '../values/within.js';

const ms = (time: string): string => `floor(extract(epoch FROM ${time}) * 1000)::float8`;
const time = (value: string): string => `to_timestamp(${value} / 1000)`;

/** Milliseconds until the first schedule is due. */
export const untilFirst = (schedule: string): string =>
  `(SELECT (extract(epoch FROM min(next_at) - statement_timestamp()) * 1000)::float8 FROM ${schedule} WHERE paused_at IS NULL)`;

/** The database's time, and schedules. One row without a name if there are none. */
const SEEN = `${ms('statement_timestamp()')} AS now, name, plan, fingerprint, source, ${ms('next_at')} AS next_at,
  ${ms('tick_at')} AS tick_at, ${ms('fired_at')} AS fired_at, skipped, ${ms('skipped_tick')} AS skipped_tick, skipped_for,
  broken, ${ms('broken_at')} AS broken_at, ${ms('paused_at')} AS paused_at, paused_by, ${ms('updated_at')} AS updated_at, updated_by`;

/** The schedules, and the moves to their next times. */
export const scheduleStatements = ({ schedule }: Tables) => ({
  // $1: names. Without them: a page beyond the name $2.
  findSchedules: `
      SELECT to_json(seen)::text AS answer FROM (
        SELECT ${SEEN} FROM (SELECT) AS one
        LEFT JOIN ${schedule} ON CASE WHEN $1::text[] IS NULL THEN name > $2::text ELSE name = ANY($1::text[]) END
        WHERE true ${WITHIN}
        ORDER BY name LIMIT CASE WHEN $1::text[] IS NULL THEN ${MOST_FOUND} END) AS seen`,

  dueSchedules: `
      SELECT ${SEEN}, ${untilFirst(schedule)} AS next_ms FROM (SELECT) AS one
      LEFT JOIN LATERAL (
        SELECT * FROM ${schedule}
        WHERE paused_at IS NULL AND next_at <= statement_timestamp() AND name <> ALL($1::text[])
        ORDER BY next_at LIMIT $2
      ) AS due ON true
      ORDER BY due.next_at`,

  addSchedule: `
      INSERT INTO ${schedule} AS schedule (name, plan, fingerprint, source, next_at, updated_by)
      SELECT $1::text, $2::jsonb, $3::text, $4::text, ${time('$5::float8')}, $6::text WHERE true ${WITHIN}
      ON CONFLICT (name) DO NOTHING`,

  // $7 to $9: as it was read.
  changeSchedule: `
      UPDATE ${schedule} SET plan = $2::jsonb, fingerprint = $3::text, source = $4::text, next_at = ${time('$5::float8')},
        updated_at = clock_timestamp(), updated_by = $6::text, broken = NULL, broken_at = NULL
      WHERE name = $1::text AND fingerprint = $7::text AND source = $8::text
        AND next_at IS NOT DISTINCT FROM ${time('$9::float8')} ${WITHIN}`,

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
  lockDue: `
      SELECT schedule.name FROM ${schedule} AS schedule
      JOIN unnest($1::text[], $2::float8[], $3::text[]) AS given (name, at, fingerprint) USING (name)
      WHERE schedule.next_at = ${time('given.at')} AND schedule.fingerprint = given.fingerprint AND paused_at IS NULL
      ORDER BY schedule.name
      FOR UPDATE OF schedule SKIP LOCKED`,

  moveSchedules: `
      UPDATE ${schedule} AS schedule
      SET next_at = ${time('given.next_at')}, tick_at = greatest(tick_at, ${time('given.tick')}),
          fired_at = CASE WHEN fires THEN clock_timestamp() ELSE fired_at END,
          skipped = skipped + (given.skipped_for IS NOT NULL)::integer,
          skipped_tick = CASE WHEN given.skipped_for IS NULL THEN skipped_tick ELSE ${time('given.tick')} END,
          skipped_for = coalesce(given.skipped_for, schedule.skipped_for),
          broken = NULL, broken_at = NULL
      FROM unnest($1::text[], $2::float8[], $3::float8[], $4::boolean[], $5::uuid[])
        AS given (name, next_at, tick, fires, skipped_for)
      WHERE schedule.name = given.name`,

  noteBroken: `
      UPDATE ${schedule} SET broken = $4, broken_at = coalesce(broken_at, clock_timestamp())
      WHERE name = $1 AND fingerprint = $2 AND next_at = ${time('$3::float8')}`,
});
