import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Express } from 'express';

/**
 * Proxies keep an idle connection for up to 60 s. A server that closes it before them may do so while a request is on its way, which
 * fails. Node's default is 5 s.
 */
const KEPT_IDLE_MS = 75_000;

/** A front end that listens. */
export interface WebServer {
  /** Where this very machine reaches it. */
  readonly address: string;
  /** Takes no more requests, and ends when those it has are answered, or after `drainMs`. */
  stop(drainMs: number): Promise<void>;
}

/**
 * Listens, and serves the application.
 *
 * @param create Gets the server's address. A request that came before there is an application would never be answered, so it waits for
 *   nothing.
 * @throws Error when the port is taken.
 */
export async function listen(
  { host, port }: { readonly host: string; readonly port: number },
  create: (address: string) => Express,
): Promise<WebServer> {
  const server = createServer({ keepAliveTimeout: KEPT_IDLE_MS });
  server.listen(port, host);
  await once(server, 'listening');
  const address = addressOf(server);
  server.on('request', create(address));
  return {
    address,
    async stop(drainMs) {
      const closed = once(server, 'close');
      server.close();
      // A connection whose last answer is sent would idle until its keep-alive ends.
      const sweep = setInterval(() => server.closeIdleConnections(), 50);
      const cut = setTimeout(() => server.closeAllConnections(), drainMs);
      await closed;
      clearInterval(sweep);
      clearTimeout(cut);
    },
  };
}

function addressOf(server: Server): string {
  const { address, port, family }: AddressInfo = addressInfo(server);
  if (address === '0.0.0.0' || address === '::') return `http://127.0.0.1:${port}`;
  return family === 'IPv6' ? `http://[${address}]:${port}` : `http://${address}:${port}`;
}

function addressInfo(server: Server): AddressInfo {
  const address = server.address();
  if (address === null || typeof address === 'string')
    throw new Error('The server does not listen on a port.');
  return address;
}
