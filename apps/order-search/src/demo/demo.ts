import { styleText } from 'node:util';
import { createLog, Demo, withoutEmpty } from '@rowlock/app-shared';
import { type AnyComposition, compose } from '../composition.js';
import { type Config, readConfig } from '../config.js';
import { over, Spread } from '../handlers/spread.js';
import { createTables } from '../legacy/create-tables.js';
import { fill } from '../legacy/fill.js';

const WORKERS = ['worker-1', 'worker-2'];

const WEB = new URL('../web.js', import.meta.url);
const WORKER = new URL('../worker.js', import.meta.url);
const SHOP = new URL('../shop.js', import.meta.url);

/** A database with an old order system, its applications, the page and two workers. */
export async function startDemo(): Promise<void> {
  const given = withoutEmpty(process.env);
  const demo = new Demo(given.DEMO_FOLDER);
  await demo.start(() => startParts(demo, given));
}

async function startParts(demo: Demo, given: NodeJS.ProcessEnv): Promise<void> {
  // All mistakes are told here, before anything is started.
  const wanted = readConfig({ DATABASE_URL: 'postgres://localhost/not-yet', ...given });
  demo.drainMs = wanted.drainMs;
  const postgres = given.DATABASE_URL === undefined ? await demo.startPostgres('order-search') : undefined;
  const env = { ...given, DATABASE_URL: given.DATABASE_URL ?? postgres?.url };
  const config = readConfig(env);

  const parts = compose(config.databaseUrl, createLog('demo', 'warn'));
  await prepare(parts, config);

  const web = await demo.launchWeb(WEB, wanted.port, (port) => ({
    ...env,
    DASHBOARD: given.DASHBOARD ?? '1',
    PORT: String(port),
  }));
  const workers = await Promise.all(WORKERS.map((name) => demo.launchWorker(name, WORKER, env)));
  console.log(
    `\n  ${styleText('bold', `http://localhost:${web.port}`)}   the search. It finds more while it fills.`,
  );
  console.log(
    `  ${styleText('bold', `http://localhost:${web.port}/rowlock/`)}   the dashboard: see every job and why it waits, pause queues, redrive what failed.`,
  );
  await watchIndex(parts);
  await parts.close();
  const shop = await demo.launch('shop', SHOP, env, 'The old applications change nothing any more.');
  console.log(welcome([web.part, ...workers, shop], config, postgres?.dataDir));
}

/** The old system, if it is not there yet; the captures on its tables; and the first index. */
async function prepare({ legacy, migrate, rowlock, store }: AnyComposition, config: Config): Promise<void> {
  await migrate();
  const database = legacy(2);
  try {
    if ((await store.orders().catch(() => undefined)) === undefined) await createTables(database);
    await fill(database, config.demoOrders, {
      onProgress: (done) => progress('The old system gets its orders', done, config.demoOrders),
    });
  } finally {
    await database.close();
  }
  await rowlock.captures.apply();
  await rowlock.enqueue(Spread, {
    ...over({ of: 'all', no: 0 }),
    unique: { key: 'first index', scope: 'ever' },
  });
}

/** Until all orders can be found. */
async function watchIndex({ store, rowlock }: AnyComposition): Promise<void> {
  for (;;) {
    // Before the count: so the last line says what there is in the end.
    const { jobs } = await rowlock.jobs.list({ queue: Spread.queue, kind: Spread.kind, limit: 1 });
    const [indexed, all] = await Promise.all([store.size(), store.orders()]);
    progress('The index fills', indexed, all);
    if (jobs.every(({ status }) => status === 'complete' || status === 'error')) return;
    await new Promise((resolve) => setTimeout(resolve, 500));
  }
}

function progress(what: string, done: number, of: number): void {
  const line = `${what}: ${done.toLocaleString('en')} of ${of.toLocaleString('en')}`;
  if (process.stdout.isTTY) process.stdout.write(`\r  ${line}${done >= of ? '\n' : ''}`);
  else if (done >= of || done % 5_000 === 0) console.log(`  ${line}`);
}

function welcome(
  parts: readonly { readonly name: string; readonly pid: number }[],
  { changesPerSecond }: Config,
  dataDir: string | undefined,
): string {
  return [
    '',
    '  Search for a name, a town, a part number, any part of a telephone number.',
    `  The old applications make ${changesPerSecond} changes a second. The search needs no change of them.`,
    `  Processes: ${parts.map(({ name, pid }) => `${name} ${pid}`).join(', ')}.`,
    '  Change a table yourself: psql or mysql on the database. The page finds it a second later.',
    '',
    `  Ctrl-C stops everything. What is there is kept in ${dataDir ?? 'the database of DATABASE_URL'}.`,
    '',
  ].join('\n');
}
