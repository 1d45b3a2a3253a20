import { fileURLToPath } from 'node:url';
import { listen } from '@rowlock/app-shared/web';
import type { Rowlock } from '@rowlock/core';
import type { Logger } from 'pino';
import type { Config } from '../config.js';
import type { OrderStore } from '../data/order-store.js';
import { createApp } from './app.js';
import { StatusFeed, statusOf } from './status-feed.js';

export interface FrontEnd {
  /** Where it listens. */
  readonly address: string;
  /** Takes no more requests, and ends when those it has are answered. */
  stop(): Promise<void>;
}

/** Built by Vite; the same from `src` and from `dist`. */
const PAGE_FOLDER = fileURLToPath(new URL('../../dist/page/', import.meta.url));

/** @throws Error when the port is taken. */
export async function startFrontEnd<Tx>(
  { host, port, dashboard, drainMs }: Pick<Config, 'host' | 'port' | 'dashboard' | 'drainMs'>,
  rowlock: Rowlock<Tx>,
  store: OrderStore<Tx>,
  log: Logger,
): Promise<FrontEnd> {
  const status = new StatusFeed(statusOf(rowlock, store), log);
  const server = await listen({ host, port }, () =>
    createApp({ rowlock, store, status, hasDashboard: dashboard, pageFolder: PAGE_FOLDER, log }),
  );
  return {
    address: server.address,
    async stop() {
      const stopped = server.stop(drainMs);
      status.close();
      await stopped;
    },
  };
}
