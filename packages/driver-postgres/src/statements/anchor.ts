import type { Tables } from './tables.js';

/** The anchors' locks in pg_locks. $1 is their class, unsigned. */
const ANCHORS = `pg_locks
        WHERE locktype = 'advisory' AND classid = $1::bigint::oid AND objsubid = 2 AND granted
          AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`;

/** The ids of the workers that are alive. $1 is the lock's class, unsigned as pg_locks shows it. */
export const alive = ({ worker }: Tables): string => `alive AS MATERIALIZED (
        SELECT objid::bigint AS id FROM ${ANCHORS}
        UNION ALL
        SELECT id FROM ${worker} WHERE alive_until > statement_timestamp()
      )`;

/** A worker's session, and the proof in it that the worker is alive. */
export const ANCHOR_STATEMENTS = {
  backend: 'SELECT pg_backend_pid() AS pid',

  // Takes no transaction id and goes with the session: the proof that the worker is alive.
  holdAnchor: `SELECT pg_try_advisory_lock($1, $2) AS held`,

  // The proof again, and the question whether anybody is there.
  holdsAnchor: `
      SELECT EXISTS (SELECT FROM ${ANCHORS} AND objid = $2::bigint::oid AND pid = pg_backend_pid()) AS held`,

  // Whoever holds the worker's lock is that worker's session; by the number it is the one that was lost.
  endAnchor: `
      SELECT pg_terminate_backend(pid) FROM ${ANCHORS} AND objid = $2::bigint::oid AND pid = $3`,

  letAnchorGo: `SELECT pg_advisory_unlock($1, $2)`,

  // So the server lets go of the locks of a client that is silently gone within 20 s, after that client knows it: see
  // keepAsking. Sockets of other sorts, and systems without these, ignore them.
  keepAlive: `
      SELECT set_config('tcp_keepalives_idle', '10', false), set_config('tcp_keepalives_interval', '3', false),
             set_config('tcp_keepalives_count', '3', false), set_config('tcp_user_timeout', '15000', false)`,
};
