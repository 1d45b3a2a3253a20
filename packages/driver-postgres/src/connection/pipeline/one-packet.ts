import type { PoolClient } from 'pg';
import { socketOf } from '../connection.js';

/**
 * Writes everything that `send` sends on a connection in one packet, with all else that is sent in the same tick.
 * A write to the network costs as much as a small statement.
 * A connection that takes one statement at a time sends them one after the other.
 */
export function inOnePacket<Answer>(client: PoolClient, send: () => Answer): Answer {
  const socket = Object(socketOf(client));
  socket.cork?.();
  process.nextTick(() => socket.uncork?.());
  return send();
}
