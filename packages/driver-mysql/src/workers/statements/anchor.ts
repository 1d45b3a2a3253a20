/** Whether the server is read-only for accounts without a special right. MariaDB 12 says OFF, ON or more, others 0 or 1. */
export const ONLY_READS =
  "(CAST(@@GLOBAL.read_only AS CHAR) NOT IN ('0', 'OFF') OR @@GLOBAL.innodb_read_only)";

/** Whether a worker's session holds its lock, or its heartbeat holds. The ? is the prefix of the workers' locks. */
export function alive(id: string): string {
  return `(IS_USED_LOCK(CONCAT(?, ${id})) IS NOT NULL OR COALESCE(worker.alive_until > UTC_TIMESTAMP(6), FALSE))`;
}

/** A worker's session, and its lock that proves the worker alive. */
export const ANCHOR_STATEMENTS = {
  // The lock proves that the worker is alive. The server releases the lock at the session's end.
  holdAnchor: `SELECT GET_LOCK(?, 0) AS held, ${ONLY_READS} AS only_reads`,

  // Checks the same proof, and whether the server answers.
  holdsAnchor: 'SELECT IS_USED_LOCK(?) <=> CONNECTION_ID() AS held',

  // The server releases the lock of a killed session a moment after the KILL.
  waitForLock: 'SELECT GET_LOCK(?, 5) AS held, RELEASE_LOCK(?) AS released',

  anchorHolder: 'SELECT IS_USED_LOCK(?) AS connection',

  self: 'SELECT CAST(CONNECTION_ID() AS CHAR) AS connection',
};
