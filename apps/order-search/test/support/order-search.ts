import { startWorkerProcess, type TestDatabase, type WorkerProcess } from '@rowlock/app-shared/testing';
import { pino } from 'pino';
import { type AnyComposition, compose } from '../../src/composition.js';
import { over, Spread } from '../../src/handlers/spread.js';
import { createTables } from '../../src/legacy/create-tables.js';
import { fill } from '../../src/legacy/fill.js';
import type { LegacyDatabase } from '../../src/legacy/legacy-database.js';
import { startFrontEnd } from '../../src/web/front-end.js';

const WORKER = new URL('../../dist/worker.js', import.meta.url);

/** The application on an old system with some orders: its workers are processes of their own. */
export interface OrderSearch {
  readonly parts: AnyComposition;
  readonly url: string;
  /** The old applications' database. */
  readonly legacy: LegacyDatabase;
  startWorker(): Promise<WorkerProcess>;
  /** @returns its address */
  startWeb(): Promise<string>;
  stop(): Promise<void>;
}

/** Creates and captures the old system's tables, and enqueues the first index. */
export async function startOrderSearch(
  database: TestDatabase,
  orders: number,
  connections = 2,
): Promise<OrderSearch> {
  const { url, drop } = await database.fresh();
  const log = pino({ level: 'silent' });
  const parts = compose(url, log);
  const legacy = parts.legacy(connections);
  const stops: (() => Promise<unknown>)[] = [];
  await createTables(legacy);
  await parts.migrate();
  await fill(legacy, orders);
  await parts.rowlock.captures.apply();
  await parts.rowlock.enqueue(Spread, over({ of: 'all', no: 0 }));
  return {
    parts,
    url,
    legacy,
    async startWorker() {
      const worker = await startWorkerProcess(WORKER, { DATABASE_URL: url, LOG_LEVEL: 'silent' });
      stops.push(() => worker.kill());
      return worker;
    },
    async startWeb() {
      const config = { host: '127.0.0.1', port: 0, dashboard: false, drainMs: 1_000 };
      const web = await parts.both((rowlock, store) => startFrontEnd(config, rowlock, store, log));
      stops.push(() => web.stop());
      return web.address;
    },
    async stop() {
      await Promise.all(stops.map((stop) => stop()));
      await legacy.close();
      await parts.close();
      await drop();
    },
  };
}
