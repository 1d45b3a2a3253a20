import pg, { type Pool, type PoolClient } from 'pg';

/**
 * Behind a pooler the number may be of another client's session. So the session's statement must be the same one, as far
 * as the server shows it.
 */
const CANCEL = `
  SELECT pg_cancel_backend(pid) FROM pg_stat_activity
  WHERE pid = $1 AND usename = session_user AND datname = current_database() AND state = 'active'
    AND query <> '' AND starts_with($2, left(query, 200))`;

/**
 * Cancels the statement of a connection that has been cut. Never rejects. The cancel has a connection outside the pool:
 * the end of the pool would wait for one to a silent server.
 *
 * @param cut Destroys a connection.
 */
export async function stopStatement(
  { options }: Pool,
  cancelled: PoolClient,
  text: string,
  answerMs: number,
  cut: (client: object) => void,
): Promise<void> {
  const number: unknown = Object(cancelled).processID;
  if (typeof number !== 'number') return;
  const timeouts = { connectionTimeoutMillis: answerMs, query_timeout: answerMs };
  // The pool hides its password from copies.
  const client = new pg.Client({ ...options, ...timeouts, password: options.password, pipeline: false });
  client.on('error', () => {});
  try {
    await client.connect();
    await client.query(CANCEL, [number, text]);
  } catch {
    // The server is away, or there is no connection left: it may do the statement.
  } finally {
    client.end().catch(() => {});
    setTimeout(() => cut(client), answerMs).unref();
  }
}
