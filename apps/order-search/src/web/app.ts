import { answerProblem, logRequest, Problem, securityHeaders } from '@rowlock/app-shared/web';
import type { Rowlock } from '@rowlock/core';
import express, { type Express } from 'express';
import type { Logger } from 'pino';
import type { OrderStore } from '../data/order-store.js';
import { DASHBOARD_PATH, dashboard } from './dashboard.js';
import { orderRoutes } from './order-routes.js';
import type { StatusFeed } from './status-feed.js';

export interface AppParts<Tx> {
  readonly rowlock: Rowlock<Tx>;
  readonly store: OrderStore<Tx>;
  readonly status: StatusFeed;
  /** Whether there is a dashboard, for this machine alone. */
  readonly hasDashboard: boolean;
  /** The built page. */
  readonly pageFolder: string;
  readonly log: Logger;
}

/** The front end: from top to bottom the way of a request. */
export function createApp<Tx>({
  rowlock,
  store,
  status,
  hasDashboard,
  pageFolder,
  log,
}: AppParts<Tx>): Express {
  const app = express();
  app.set('x-powered-by', false);
  app.use(securityHeaders());
  if (hasDashboard) app.use(DASHBOARD_PATH, ...dashboard(rowlock, log));
  app.use(logRequest(log));
  app.use('/api', neverCache, orderRoutes(rowlock, store));
  app.get('/api/status', (_req, res) => {
    if (!status.open(res)) throw new Problem(429, 'Too many pages are open. Close a tab.');
  });
  app.use(express.static(pageFolder, { index: 'index.html' }));
  app.use((req) => {
    throw new Problem(404, `There is nothing at ${req.path}.`);
  });
  app.use(answerProblem(log, 'Order search'));
  return app;
}

const neverCache: express.RequestHandler = (_req, res, next) => {
  res.set('Cache-Control', 'no-store');
  next();
};
