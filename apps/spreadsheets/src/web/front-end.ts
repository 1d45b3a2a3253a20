import { fileURLToPath } from 'node:url';
import { listen } from '@rowlock/app-shared/web';
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
  const streams = new PictureStreams(new PictureFeed(() => look(rowlock, store), log));
  const server = await listen(web, (address) => {
    const rules: TokenRules =
      web.auth.by === 'provider'
        ? web.auth
        : { jwksUrl: `${address}/demo/jwks.json`, issuer: DEMO_ISSUER, audience: DEMO_AUDIENCE };
    return createApp({
      rowlock,
      store,
      verify: createTokenVerifier(rules),
      demoIssuer,
      streams,
      publicUrl,
      requestsPerMinute: web.requestsPerMinute,
      trustedProxies: web.trustedProxies,
      operators: web.operators,
      pageFolder: PAGE_FOLDER,
      log,
    });
  });

  return {
    address: server.address,
    async stop() {
      const stopped = server.stop(drainMs);
      streams.close();
      await stopped;
    },
  };
}

const DEMO_ISSUER = 'urn:rowlock:demo';
const DEMO_AUDIENCE = 'spreadsheets';
