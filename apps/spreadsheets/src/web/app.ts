import { answerProblem, logRequest, Problem, securityHeaders } from '@rowlock/app-shared/web';
import type { Rowlock } from '@rowlock/core';
import express, { type Express } from 'express';
import type { Logger } from 'pino';
import type { SpreadsheetStore } from '../data/spreadsheet-store.js';
import { Spreadsheets } from '../spreadsheets.js';
import { authenticate } from './authenticate.js';
import { DASHBOARD_PATH, dashboard, type Operators } from './dashboard.js';
import type { DemoIssuer } from './demo-issuer.js';
import { jsonBody } from './json-body.js';
import { openApi } from './openapi.js';
import { ownProblemOf } from './own-problem-of.js';
import type { PictureStreams } from './picture/picture-streams.js';
import { limitAddress, limitUser } from './rate-limit.js';
import { demoRoutes } from './routes/demo-routes.js';
import { healthRoutes } from './routes/health-routes.js';
import { jobRoutes } from './routes/job-routes.js';
import { linkRoutes } from './routes/link-routes.js';
import { pictureRoutes } from './routes/picture-routes.js';
import { sessionRoutes } from './routes/session-routes.js';
import { spreadsheetRoutes } from './routes/spreadsheet-routes.js';
import { SessionCookie } from './session-cookie.js';
import type { VerifyToken } from './verify-token.js';

/** What the front end stands on. */
export interface AppParts<Tx> {
  readonly rowlock: Rowlock<Tx>;
  readonly store: SpreadsheetStore<Tx>;
  readonly verify: VerifyToken;
  /** Only in the demo. */
  readonly demoIssuer: DemoIssuer | undefined;
  readonly streams: PictureStreams;
  readonly publicUrl: string;
  readonly requestsPerMinute: number;
  readonly trustedProxies: number;
  /** Who may use the dashboard. */
  readonly operators: Operators;
  /** The built page. */
  readonly pageFolder: string;
  readonly log: Logger;
}

/** The front end: from top to bottom the way of a request. */
export function createApp<Tx>(parts: AppParts<Tx>): Express {
  const { rowlock, store, verify, demoIssuer, streams, publicUrl, pageFolder, log } = parts;
  const spreadsheets = new Spreadsheets(rowlock, store);
  const cookie = new SessionCookie(publicUrl);
  const known = [authenticate(verify, cookie), limitUser(parts.requestsPerMinute)];
  const anybody = limitAddress(parts.requestsPerMinute);

  const app = express();
  app.set('trust proxy', parts.trustedProxies);
  app.set('x-powered-by', false);
  app.use(securityHeaders());
  app.use(healthRoutes(rowlock, store));
  app.use(DASHBOARD_PATH, dashboard(rowlock, verify, cookie, parts.operators, log));
  app.use(logRequest(log));

  if (demoIssuer !== undefined) app.use('/demo', anybody).use(demoRoutes(demoIssuer));
  app
    .use('/session', anybody)
    .use(sessionRoutes(verify, cookie, demoIssuer === undefined ? 'token' : 'name'));
  app.get('/openapi.json', (_req, res) => void res.json(openApi(publicUrl)));
  app.use(linkRoutes(spreadsheets, known, pageFolder));

  app.use('/api', neverCache, ...known, jsonBody());
  app.use('/api', spreadsheetRoutes(spreadsheets), jobRoutes(spreadsheets), pictureRoutes(streams));

  app.use(express.static(pageFolder, { index: 'index.html' }));
  app.use((req) => {
    throw new Problem(404, `There is nothing at ${req.path}.`);
  });
  app.use(answerProblem(log, 'Spreadsheets', ownProblemOf));
  return app;
}

const neverCache: express.RequestHandler = (_req, res, next) => {
  res.set('Cache-Control', 'no-store');
  next();
};
