import { MOST_FOUND } from '@rowlock/core/driver';
import { ms } from '../jobs/statements/columns.js';
import type { Tables } from '../schema/tables.js';

const text = (time: string): string => `CAST(FLOOR(${ms(time)}) AS CHAR)`;
const time = (value: string): string => `'1970-01-01' + INTERVAL ROUND(${value} * 1000) MICROSECOND`;

/** Milliseconds until the first schedule is due. */
export const untilFirst = (schedule: string): string =>
  `(SELECT CAST(TIMESTAMPDIFF(MICROSECOND, UTC_TIMESTAMP(6), MIN(waits_until)) / 1000 AS CHAR) FROM ${schedule})`;

/** The database's time, and schedules. One row without a name if there are none. */
const SEEN = `${text('UTC_TIMESTAMP(6)')} AS now, name, CAST(plan AS CHAR) AS plan, fingerprint, source, ${text('next_at')} AS next_at,
             ${text('tick_at')} AS tick_at, ${text('fired_at')} AS fired_at, CAST(skipped AS CHAR) AS skipped,
             ${text('skipped_tick')} AS skipped_tick, skipped_for, broken, ${text('broken_at')} AS broken_at, ${text('paused_at')} AS paused_at, paused_by, ${text('updated_at')} AS updated_at, updated_by`;

/** The schedules, and the moves to their next times. */
export const scheduleStatements = ({ schedule }: Tables) => ({
  findSchedules: `
      SELECT ${SEEN} FROM (SELECT 1 AS one) AS one LEFT JOIN ${schedule} AS schedule ON name > ?
      ORDER BY name LIMIT ${MOST_FOUND}`,

  findNamedSchedules: (names: string): string => `
      SELECT ${SEEN} FROM (SELECT 1 AS one) AS one LEFT JOIN ${schedule} AS schedule ON name IN (${names})
      ORDER BY name`,

  // The names are chosen first: MySQL refuses to sort a row whose JSON is larger than the sort buffer.
  dueSchedules: (except: string): string => `
      SELECT ${SEEN}, ${untilFirst(schedule)} AS next_ms FROM (SELECT 1 AS one) AS one
      LEFT JOIN (
        SELECT name AS due FROM ${schedule} FORCE INDEX (schedule_next)
        WHERE waits_until <= UTC_TIMESTAMP(6) ${except === '' ? '' : `AND name NOT IN (${except})`}
        ORDER BY waits_until LIMIT ?
      ) AS due ON TRUE
      LEFT JOIN ${schedule} AS schedule FORCE INDEX (PRIMARY) ON schedule.name = due.due`,

  addSchedule: `
      INSERT INTO ${schedule} (name, plan, fingerprint, source, next_at, updated_by)
      VALUES (?, ?, ?, ?, ${time('?')}, ?)
      ON DUPLICATE KEY UPDATE name = VALUES(name)`,

  // Only if it is as it was read.
  changeSchedule: `
      UPDATE ${schedule} FORCE INDEX (PRIMARY)
      SET plan = ?, fingerprint = ?, source = ?, next_at = ${time('?')}, updated_by = ?, updated_at = UTC_TIMESTAMP(6),
          broken = NULL, broken_at = NULL
      WHERE name = ? AND fingerprint = ? AND source = ? AND next_at <=> ${time('?')}`,

  lockSchedule: `SELECT 1 FROM ${schedule} WHERE name = ? FOR UPDATE NOWAIT`,

  pauseSchedule: `
      UPDATE ${schedule} SET paused_by = IF(paused_at IS NULL, ?, paused_by), paused_at = COALESCE(paused_at, UTC_TIMESTAMP(6))
      WHERE name = ?`,

  resumeSchedule: `
      UPDATE ${schedule} SET paused_at = NULL, paused_by = NULL, next_at = ${time('?')}
      WHERE name = ? AND fingerprint = ? AND paused_at IS NOT NULL`,

  removeSchedule: `DELETE FROM ${schedule} WHERE name = ?`,

  // One at a time, by its key. The lock reads what is committed.
  lockDueSchedule: `
      SELECT 1 FROM ${schedule} FORCE INDEX (PRIMARY)
      WHERE name = ? AND fingerprint = ? AND next_at = ${time('?')} AND paused_at IS NULL
      FOR UPDATE SKIP LOCKED`,

  moveSchedule: `
      UPDATE ${schedule}
      SET next_at = ${time('?')}, tick_at = GREATEST(COALESCE(tick_at, '1000-01-01'), ${time('?')}),
          fired_at = IF(?, UTC_TIMESTAMP(6), fired_at), broken = NULL, broken_at = NULL
      WHERE name = ?`,

  noteSkipped: `UPDATE ${schedule} SET skipped = skipped + 1, skipped_tick = ${time('?')}, skipped_for = ? WHERE name = ?`,

  noteBroken: `
      UPDATE ${schedule} FORCE INDEX (PRIMARY) SET broken = ?, broken_at = COALESCE(broken_at, UTC_TIMESTAMP(6))
      WHERE name = ? AND fingerprint = ? AND next_at = ${time('?')}`,
});
