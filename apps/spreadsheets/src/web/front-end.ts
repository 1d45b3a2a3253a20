import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import type { Rowlock } from '@rowlock/core';
import type { Logger } from 'pino';
import type { Config } from '../config.js';
import type { SpreadsheetStore } from '../data/spreadsheet-store.js';
import { createApp } from './app.js';
import { DemoIssuer } from './demo-issuer.js';
import { look } from './picture/look.js';
import { PictureFeed } from './picture/picture-feed.js';
import { PictureStreams } from './picture/picture-streams.js';
import { createTokenVerifier, type TokenRules } from './verify-token.js';

export interface FrontEnd {
  /** Where it listens. */
  readonly address: string;
  /** Takes no more requests, and ends when those it has are answered. */
  stop(): Promise<void>;
}

export interface FrontEndParts<Tx> {
  readonly config: Pick<Config, 'publicUrl' | 'web' | 'drainMs'>;
  readonly rowlock: Rowlock<Tx>;
  readonly store: SpreadsheetStore<Tx>;
  readonly log: Logger;
}

/** Built by Vite; the same from `src` and from `dist`. */
const PAGE_FOLDER = fileURLToPath(new URL('../../dist/page/', import.meta.url));

/** @throws Error when the port is taken. */
export async function startFrontEnd<Tx>({
  config,
  rowlock,
  store,
  log,
}: FrontEndParts<Tx>): Promise<FrontEnd> {
  const { publicUrl, web, drainMs } = config;
  const demoIssuer = web.auth.by === 'demo' ? await DemoIssuer.create(DEMO_ISSUER, DEMO_AUDIENCE) : undefined;
  const server = createServer();
  server.listen(web.port, web.host);
  await once(server, 'listening');
  const address = addressOf(server);

  // From here on nothing waits: a request that came before there is the app would never be answered.
  const rules: TokenRules =
    web.auth.by === 'provider'
      ? web.auth
      : { jwksUrl: `${address}/demo/jwks.json`, issuer: DEMO_ISSUER, audience: DEMO_AUDIENCE };
  const streams = new PictureStreams(new PictureFeed(() => look(rowlock, store), log));
  const app = createApp({
    rowlock,
    store,
    verify: createTokenVerifier(rules),
    demoIssuer,
    streams,
    publicUrl,
    requestsPerMinute: web.requestsPerMinute,
    trustedProxies: web.trustedProxies,
    pageFolder: PAGE_FOLDER,
    log,
  });
  server.on('request', app);

  return {
    address,
    async stop() {
      const closed = once(server, 'close');
      server.close();
      streams.close();
      // A connection whose last answer is sent would idle until its keep-alive ends.
      const sweep = setInterval(() => server.closeIdleConnections(), 50);
      const cut = setTimeout(() => server.closeAllConnections(), drainMs);
      await closed;
      clearInterval(sweep);
      clearTimeout(cut);
    },
  };
}

const DEMO_ISSUER = 'urn:rowlock:demo';
const DEMO_AUDIENCE = 'spreadsheets';

/** Where this very machine reaches the server. */
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
