import type { Tables } from './tables.js';
import { WITHIN } from './within.js';

/** Wake-ups for workers that cannot LISTEN. A worker that has just missed a heartbeat still gets wake-ups. */
export const rung = ({ bell, worker }: Tables, wakeUps: string, condition = 'true'): string => `rung AS (
      INSERT INTO ${bell} (wake_up) SELECT wake_up::jsonb FROM unnest(${wakeUps}::text::text[]) AS wake_up
      WHERE ${condition}
        AND EXISTS (SELECT FROM ${worker} WHERE alive_until > statement_timestamp() - interval '1 minute')
    )`;

/** Wake-ups: notifications, and the bell for workers that cannot LISTEN. */
export const bellStatements = (tables: Tables) => ({
  notify: `WITH ${rung(tables, '$2')} SELECT pg_notify($1, wake_up) FROM unnest($2::text::text[]) AS wake_up WHERE true ${WITHIN}`,

  // The transaction commits without a flush: a notification has no use after a power cut.
  // https://www.postgresql.org/docs/current/wal-async-commit.html
  notifySoon: `
      WITH ${rung(tables, '$2')}
      SELECT pg_notify($1, wake_up), set_config('synchronous_commit', 'off', true) FROM unnest($2::text::text[]) AS wake_up`,

  // Finds everything that was committed since the snapshot of the last look. Each ring is found once, in any order of commits.
  // Without a last look, nothing is found.
  hear: `
      SELECT pg_current_snapshot()::text AS seen,
             (SELECT coalesce(jsonb_agg(wake_up ORDER BY id), '[]') FROM ${tables.bell}
              WHERE rung_in >= pg_snapshot_xmin($1::pg_snapshot)
                AND NOT pg_visible_in_snapshot(rung_in, $1::pg_snapshot)) AS wake_ups`,

  pruneBell: `DELETE FROM ${tables.bell} WHERE rung_at < statement_timestamp() - interval '1 minute'`,
});
