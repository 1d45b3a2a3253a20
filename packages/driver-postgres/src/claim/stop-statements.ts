import { setTimeout as pause } from 'node:timers/promises';
import { type PostgresTransaction, query } from '../query.js';
import type { Statements } from '../statements.js';
import type { SerialConnection } from './serial-connection.js';

/** How long the handler's statements may go on when they are to be undone, in milliseconds. */
const STOP_AFTER_MS = 2_000;

/**
 * Waits for the handler's statement that is still running, and stops it after a while. The statements behind it are refused.
 *
 * @param pool Where the stop is sent
 * @param session The server's number of the session, once it is known
 */
export async function stopStatements(
  serial: SerialConnection,
  pool: PostgresTransaction,
  sql: Pick<Statements, 'stopStatement'>,
  session: () => number | undefined,
  lost: AbortSignal,
): Promise<void> {
  const rest = serial.rest();
  for (;;) {
    await Promise.race([rest, pause(STOP_AFTER_MS, undefined, { ref: false })]);
    const number = session();
    if (!serial.busy || number === undefined || lost.aborted) return;
    serial.forget();
    await query(pool, sql.stopStatement, [number]).catch(() => {});
  }
}
