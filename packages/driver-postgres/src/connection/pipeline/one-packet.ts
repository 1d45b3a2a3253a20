import type { PoolClient } from 'pg';
import { socketOf } from '../connection.js';

/**
 * Sends what `send` sends on a connection in one piece, with whatever else is sent until nothing is left to do but wait for answers. To
 * hand a piece to the network costs as much as a small statement. A connection that takes one statement at a time
 * sends them one after the other.
 */
export function inOnePacket<Answer>(client: PoolClient, send: () => Answer): Answer {
  const socket = Object(socketOf(client));
  socket.cork?.();
  process.nextTick(() => socket.uncork?.());
  return send();
}
