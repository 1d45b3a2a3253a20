import type { Server } from 'node:http';

/** Where a server listens. */
export function addressOf(server: Server): string {
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('Not listening.');
  return `http://127.0.0.1:${address.port}`;
}
