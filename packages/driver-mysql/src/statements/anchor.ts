/** Whether a worker's session holds its lock, or its heartbeat holds. The ? is the prefix of the workers' locks. */
export function alive(id: string): string {
  return `(IS_USED_LOCK(CONCAT(?, ${id})) IS NOT NULL OR COALESCE(worker.alive_until > UTC_TIMESTAMP(6), FALSE))`;
}

/** A worker's session, and its lock that proves the worker alive. */
export const ANCHOR_STATEMENTS = {
  // Freed with the session: the proof that the worker is alive.
  holdAnchor: 'SELECT GET_LOCK(?, 0) AS held',

  // The proof again, and a sign that the server answers.
  holdsAnchor: 'SELECT IS_USED_LOCK(?) <=> CONNECTION_ID() AS held',

  anchorHolder: 'SELECT IS_USED_LOCK(?) AS connection',

  self: 'SELECT CAST(CONNECTION_ID() AS CHAR) AS connection',
};
