import type { PoolClient } from 'pg';
import { socketOf } from './session.js';

/**
 * Sends what `ask` asks of a connection in one piece, with whatever else is asked of it until nothing is left to do but wait for
 * answers. To hand a piece to the network costs as much as a small statement. A connection that takes one statement at a time
 * is asked them one after the other.
 */
export function inOneFlight<Answer>(client: PoolClient, ask: () => Answer): Answer {
  const socket = Object(socketOf(client));
  socket.cork?.();
  process.nextTick(() => socket.uncork?.());
  return ask();
}
