import type { Tables } from '../../schema/tables.js';

/** The anchors' locks in pg_locks. $1 is their class, unsigned. */
const ANCHORS = `pg_locks
        WHERE locktype = 'advisory' AND classid = $1::text::bigint::oid AND objsubid = 2 AND granted
          AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`;

/** The ids of the live workers. $1 is the lock's class, unsigned as pg_locks shows it. */
export const alive = ({ worker }: Tables): string => `alive AS MATERIALIZED (
        SELECT objid::bigint AS id FROM ${ANCHORS}
        UNION ALL
        SELECT id FROM ${worker} WHERE alive_until > statement_timestamp()
      )`;

/** A worker's session, and the proof in it that the worker is alive. */
export const ANCHOR_STATEMENTS = {
  backend: 'SELECT pg_backend_pid() AS pid, inet_client_port() AS port',

  // The lock proves that the worker is alive. The lock takes no transaction id, and ends with the session. The server releases a
  // silently lost client's locks within 20 s, after the client itself has noticed the loss: see keepChecking. Other kinds of
  // sockets, and systems without these settings, ignore them.
  holdAnchor: `
      SELECT pg_try_advisory_lock($1, $2) AS held, pg_backend_pid() AS pid,
             set_config('tcp_keepalives_idle', '10', false), set_config('tcp_keepalives_interval', '3', false),
             set_config('tcp_keepalives_count', '3', false), set_config('tcp_user_timeout', '15000', false)`,

  // Checks the same proof, and whether the server answers.
  holdsAnchor: `
      SELECT EXISTS (SELECT FROM ${ANCHORS} AND objid = $2::bigint::oid AND pid = pg_backend_pid()) AS held`,

  // The holder of the worker's lock is that worker's session. The pid limits the statement to the lost session.
  endAnchor: `
      SELECT pg_terminate_backend(pid) FROM ${ANCHORS} AND objid = $2::bigint::oid AND pid = $3`,

  letAnchorGo: `SELECT pg_advisory_unlock($1, $2)`,
};
