import { createLog } from '@rowlock/app-shared';
import { startWorkerProcess, type TestDatabase, type WorkerProcess } from '@rowlock/app-shared/testing';
import { type GoogleSheetsEmulator, startGoogleSheetsEmulator } from '@rowlock/google-sheets-emulator';
import { SHEETS_LIMIT } from '@rowlock/plugin-google-sheets';
import { type AnyComposition, compose } from '../../src/composition.js';
import { readConfig } from '../../src/config.js';
import { startFrontEnd } from '../../src/web/front-end.js';
import { UserOfApi } from './user-of-api.js';

const WORKER = new URL('../../dist/worker.js', import.meta.url);

/** A front end on a real database with the emulator for Google; workers are processes of their own. */
export interface TestApplication extends Pick<AnyComposition, 'rowlock'> {
  readonly address: string;
  readonly emulator: GoogleSheetsEmulator;
  /** Signs in by name. */
  user(name: string): Promise<UserOfApi>;
  startWorker(name: string): Promise<WorkerProcess>;
  /** The parts of a worker's process, in this one. */
  composeWorker(): AnyComposition;
  stop(): Promise<void>;
}

export interface TestApplicationOptions {
  /** Where it runs: on a fresh database of the run's server, or at a URL. */
  readonly on: TestDatabase | string;
  readonly env?: NodeJS.ProcessEnv;
  /** Whether nothing answers at the database's URL. */
  readonly isDatabaseAway?: boolean;
}

export async function startTestApplication(options: TestApplicationOptions): Promise<TestApplication> {
  const { on } = options;
  const database = typeof on === 'string' ? { url: on } : await on.fresh();
  const unlimited = Number.POSITIVE_INFINITY;
  const emulator = await startGoogleSheetsEmulator({
    quotas: {
      readsPerMinute: unlimited,
      readsPerMinutePerUser: unlimited,
      writesPerMinute: unlimited,
      writesPerMinutePerUser: unlimited,
    },
  });
  const env = {
    DATABASE_URL: database.url,
    PORT: '0',
    PUBLIC_URL: 'http://localhost',
    DEMO_SIGN_IN: '1',
    GOOGLE_ROOT_URL: `${emulator.url}/`,
    LOG_LEVEL: options.isDatabaseAway ? 'silent' : 'error',
    REQUESTS_PER_MINUTE: '100000',
    ...options.env,
  };
  const config = readConfig(env, 'web');
  const log = createLog('web', config.logLevel);
  const composition = compose(config, log);
  if (!options.isDatabaseAway) {
    await composition.migrate();
    // The emulator has no quotas here.
    await composition.rowlock.limits.set(SHEETS_LIMIT.name, { starts: 1_000_000, per: '1m', burst: 1_000 });
  }
  const frontEnd = await composition.both((rowlock, store) => startFrontEnd({ config, rowlock, store, log }));
  const workers: WorkerProcess[] = [];
  const composed: AnyComposition[] = [];

  return {
    rowlock: composition.rowlock,
    address: frontEnd.address,
    emulator,
    user: (name) => UserOfApi.signIn(frontEnd.address, name),
    async startWorker(name) {
      const worker = await startWorkerProcess(WORKER, { ...env, WORKER_NAME: name });
      workers.push(worker);
      return worker;
    },
    composeWorker() {
      const parts = compose(readConfig({ ...env, WORKER_NAME: 'here' }, 'worker'), log);
      composed.push(parts);
      return parts;
    },
    async stop() {
      await Promise.all(composed.map((parts) => parts.close()));
      await Promise.all(workers.map((worker) => worker.kill()));
      await frontEnd.stop();
      await composition.close();
      await emulator.close();
      if ('drop' in database) await database.drop();
    },
  };
}
