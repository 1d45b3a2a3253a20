import { setTimeout as pause } from 'node:timers/promises';
import { type PostgresTransaction, query } from '../query.js';
import type { Statements } from '../statements.js';
import type { SerialConnection } from './serial-connection.js';

/** How long a handler's statement may run on before its undo, in milliseconds. */
const STOP_AFTER_MS = 2_000;

/**
 * Waits for the handler's statement that is running, and stops the statement after a while. Statements behind it are refused.
 *
 * @param pool Sends the stop
 * @param session The session's pid on the server, when it is known
 */
export async function stopStatements(
  serial: SerialConnection,
  pool: PostgresTransaction,
  sql: Pick<Statements['claims'], 'stopStatement'>,
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
