import type { Tables } from '../../schema/tables.js';
import { WITHIN } from '../../values/within.js';

/** Wake-ups for workers that cannot LISTEN. A worker that has just missed a heartbeat still gets wake-ups. */
export const rung = ({ bell, worker }: Tables, wakeUps: string, condition = 'true'): string => `rung AS (
      INSERT INTO ${bell} (wake_up) SELECT wake_up::jsonb FROM unnest(${wakeUps}::text[]) AS wake_up
      WHERE ${condition}
        AND EXISTS (SELECT FROM ${worker} WHERE alive_until > statement_timestamp() - interval '1 minute')
    )`;

/**
 * Sends wake-ups as notifications, unless the server's queue of notifications is almost full. A full queue would make the
 * commit fail, and a wake-up is only a hint. As text: some clients read no column of the type void.
 */
export const notifying = (channel: string, wakeUps: string): string =>
  `pg_notify(${channel}, wake_up)::text FROM unnest(${wakeUps}::text[]) AS wake_up WHERE pg_notification_queue_usage() < 0.9`;

/** Makes a change, and wakes workers with its commit. $2 is the channel, and $3 has the wake-ups. */
export const waking = (tables: Tables, change: string): string =>
  `WITH changed AS (${change}), ${rung(tables, '$3')} SELECT ${notifying('$2', '$3')}`;

/** Wake-ups: notifications, and the bell for workers that cannot LISTEN. */
export const bellStatements = (tables: Tables) => ({
  notify: `WITH ${rung(tables, '$2')} SELECT ${notifying('$1', '$2')} ${WITHIN}`,

  // The transaction commits without a flush: a notification has no use after a power cut.
  // https://www.postgresql.org/docs/current/wal-async-commit.html
  notifySoon: `
      WITH ${rung(tables, '$2')}
      SELECT set_config('synchronous_commit', 'off', true), ${notifying('$1', '$2')}`,

  // Finds everything that was committed since the snapshot of the last look. Each ring is found once, in any order of commits.
  // Without a last look, nothing is found.
  receive: `
      SELECT pg_current_snapshot()::text AS seen,
             (SELECT coalesce(jsonb_agg(wake_up ORDER BY id), '[]') FROM ${tables.bell}
              WHERE rung_in >= pg_snapshot_xmin($1::pg_snapshot)
                AND NOT pg_visible_in_snapshot(rung_in, $1::pg_snapshot)) AS wake_ups`,

  pruneBell: `DELETE FROM ${tables.bell} WHERE rung_at < statement_timestamp() - interval '1 minute'`,
});
