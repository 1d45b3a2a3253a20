import { createRowlock } from '@rowlock/core';
import { postgres } from '@rowlock/driver-postgres';
import { health, prometheus } from '@rowlock/telemetry';
import { drizzle } from 'drizzle-orm/node-postgres';
import fastify from 'fastify';
import pg from 'pg';
import { nightly, orderChanges, WriteReport } from '../shared/kinds.js';
import { Mails } from '../shared/mails.js';
import { TABLES } from '../shared/tables.js';
import { handlersOf } from './handlers.js';
import { operations } from './operations.js';
import { routes } from './routes.js';

/** A shop on Postgres, whose web server and worker are one process. */
export function openShop(connectionString: string | undefined) {
  const pool = new pg.Pool({ connectionString, max: 20 });
  const db = drizzle({ client: pool });
  const metrics = prometheus();
  const rowlock = createRowlock({
    driver: postgres({ pool }),
    handlers: handlersOf(db, new Mails()),
    captures: [orderChanges],
    schedules: { 'report.nightly': { handler: WriteReport, ...nightly } },
    plugins: [metrics],
  });
  metrics.watch(rowlock);
  const worker = rowlock.worker({ concurrency: 5 });

  const app = fastify();
  app.register(routes, { db, rowlock });
  app.register(operations, { rowlock, metrics, checks: health(rowlock, worker) });
  app.addHook('onReady', async () => {
    for (const statement of TABLES) await pool.query(statement);
    await rowlock.migrate();
    await rowlock.captures.apply();
    await worker.start();
  });
  // After the last request, which may wait for a job.
  app.addHook('onClose', async () => {
    await worker.stop({ drain: '15s' });
    await rowlock.close();
    await pool.end();
  });
  return app;
}
