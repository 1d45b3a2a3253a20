import type { PoolClient } from 'pg';
import { socketOf } from './session.js';

/**
 * Sends what `ask` asks of a connection in one piece, if the connection can be asked several things at once. On others the
 * statements follow each other.
 */
export function inOneFlight<Answer>(client: PoolClient, ask: () => Answer): Answer {
  const socket = Object(socketOf(client));
  socket.cork?.();
  try {
    return ask();
  } finally {
    socket.uncork?.();
  }
}
