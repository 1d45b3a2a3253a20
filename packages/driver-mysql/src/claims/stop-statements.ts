import { setTimeout as pause } from 'node:timers/promises';
import type { SessionControl } from '../connection/session-control.js';
import type { SerialConnection } from './serial-connection.js';

/** How long a handler's statements may run on before their undo, in milliseconds. */
const STOP_AFTER_MS = 2_000;

/**
 * Waits for a handler's statements before their undo. After a while the running one is stopped, and those after it are refused.
 *
 * @param isStoppable Whether the statements may be stopped now.
 */
export async function stopStatements(
  connection: SerialConnection,
  control: SessionControl,
  isStoppable: () => boolean,
): Promise<void> {
  const rest = connection.rest();
  for (;;) {
    await Promise.race([rest, pause(STOP_AFTER_MS, undefined, { ref: false })]);
    if (!connection.busy || !isStoppable()) return;
    connection.drop();
    if (connection.session !== undefined) await control.interrupt(connection.session);
  }
}
