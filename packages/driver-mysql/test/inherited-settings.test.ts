import { newJob } from '@rowlock/driver-conformance/internal';
import { startEmbeddedMariadb, startEmbeddedMysql, temporaryDataDir } from '@rowlock/servers';
import { type Connection, createConnection, type RowDataPacket } from 'mysql2/promise';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { mysql } from '../src/index.js';
import { product } from './server.js';

/** What a DBA may set for all sessions, and what the driver's statements cannot have. */
const INHERITED = [
  "SET GLOBAL completion_type = 'CHAIN'",
  'SET GLOBAL sql_safe_updates = 1',
  'SET GLOBAL sql_select_limit = 1',
  'SET GLOBAL sql_big_selects = 0',
  'SET GLOBAL max_join_size = 1',
  'SET GLOBAL unique_checks = 0',
  'SET GLOBAL autocommit = 0',
  "SET GLOBAL sql_mode = 'ANSI_QUOTES,PIPES_AS_CONCAT,NO_BACKSLASH_ESCAPES'",
  "SET GLOBAL time_zone = '+07:00'",
  'SET GLOBAL div_precision_increment = 0',
  "SET GLOBAL init_connect = 'SET NAMES latin1'",
  "SET GLOBAL innodb_default_row_format = 'redundant'",
  `SET GLOBAL ${product === 'mariadb' ? 'max_recursive_iterations' : 'cte_max_recursion_depth'} = 0`,
  product === 'mariadb' ? 'SET GLOBAL max_statement_time = 0.1' : 'SET GLOBAL max_execution_time = 100',
];

let server: Awaited<ReturnType<typeof startEmbeddedMysql>>;
let root: Connection;
let uri: string;

beforeAll(async () => {
  const start = product === 'mariadb' ? startEmbeddedMariadb : startEmbeddedMysql;
  const dataDir = temporaryDataDir('test');
  server = await start({ dataDir, persistent: false });
  const admin = new URL(server.url);
  root = await createConnection(server.url);
  const database = admin.pathname.slice(1) || 'jobs';
  await root.query(`CREATE DATABASE IF NOT EXISTS ${database}`);
  await root.query(`USE ${database}`);
  // The server runs no init_connect for an administrator.
  await root.query("CREATE USER 'app' IDENTIFIED BY 'app'");
  await root.query(`GRANT ALL ON ${database}.* TO 'app'`);
  for (const statement of INHERITED) await root.query(statement);
  admin.username = admin.password = 'app';
  admin.pathname = `/${database}`;
  uri = admin.href;
});

afterAll(async () => {
  await root.end();
  await server.stop();
});

const TEXT = '漕艇 🚣 €';

test('whatever a session inherits, jobs are stored, run, settled, listed and pruned', async () => {
  const driver = mysql({ uri });
  try {
    await driver.schema.migrate();
    await driver.schema.verify();
    const unique = { key: TEXT, scope: 'ever' } as const;
    const [enqueued] = await driver.jobs.enqueue([
      newJob({ payload: TEXT, unique }),
      newJob({ payload: TEXT }),
    ]);
    expect(enqueued).toMatchObject({ outcome: 'enqueued' });
    expect(await driver.jobs.enqueue([newJob({ unique })])).toMatchObject([{ outcome: 'duplicate' }]);
    const [stored] = await root.query<RowDataPacket[]>(
      'SELECT HEX(unique_key) AS hex FROM rowlock_job WHERE unique_key IS NOT NULL',
    );
    expect(stored).toEqual([{ hex: Buffer.from(TEXT).toString('hex').toUpperCase() }]);

    const anchor = await driver.workers.anchor({ name: 'w', host: 'h', pid: 1, queues: ['q'] });
    const held = driver.claims.session({ idleLimitMs: 60_000 });
    const line = { priority: -32_768, id: 0n };
    const jobs = await held.claim({ queue: 'q', kinds: ['k'], line, busy: [], limit: 10 });
    expect(jobs.map(({ payload }) => payload)).toEqual([TEXT, TEXT]);
    const runId = '00000000-0000-4000-8000-000000000000';
    const ids = jobs.map(({ id }) => id);
    await driver.claims.startRuns([{ runId, workerId: anchor.workerId, jobs }], []).durable();
    await held.finish(ids.map((id) => ({ ...ENDING, id, runId, output: TEXT })));
    await anchor.release();
    const { jobs: listed } = await driver.jobs.list({}, { limit: 10, before: null });
    expect(listed.map(({ status, output }) => `${status} ${output}`)).toEqual([
      `complete ${TEXT}`,
      `complete ${TEXT}`,
    ]);
    expect(await driver.history.prune(ids, 0)).toBe(2);
  } finally {
    await driver.close();
  }
  const [left] = await root.query('SELECT id FROM rowlock_job');
  expect(left).toEqual([]);
});

test('a job with a limit has the slots of the limit made', async () => {
  const driver = mysql({ uri });
  try {
    await driver.schema.migrate();
    const limits = JSON.stringify({ mail: 3 });
    await driver.jobs.enqueue([newJob({ queue: 'limited', limits })]);
    const session = driver.claims.session({ idleLimitMs: 60_000 });
    const line = { priority: -32_768, id: 0n };
    const lane = { queue: 'limited', kinds: ['k'], limits };
    expect(await session.claim({ ...lane, line, busy: [], limit: 1 })).toHaveLength(1);
    await session.rollback();
  } finally {
    await driver.close();
  }
});

test('an idle worker sleeps for as long as it would on any server', async () => {
  const driver = mysql({ uri });
  try {
    await driver.schema.migrate();
    const anchor = await driver.workers.anchor({ name: 'w', host: 'h', pid: 1, queues: ['q'] });
    const ended = new AbortController();
    const heard = anchor.wakeUps({ queues: ['q'], everyMs: 1_000, signal: ended.signal });
    const wakeUp = heard[Symbol.asyncIterator]();
    await wakeUp.next();
    const statements = async (): Promise<number> => {
      const [rows] = await root.query<RowDataPacket[]>("SHOW GLOBAL STATUS LIKE 'Com_stmt_execute'");
      return Number(rows[0]?.Value);
    };
    const before = await statements();
    // Due after a second, in four sleeps and a few looks at the lock.
    await wakeUp.next();
    expect((await statements()) - before).toBeLessThan(15);
    ended.abort();
    await wakeUp.return?.();
    await anchor.release();
  } finally {
    await driver.close();
  }
});

const ENDING = {
  event: 'complete',
  attempt: 1,
  crashes: 0,
  delayMs: 0,
  tookMs: 0,
  error: null,
  by: 'test',
} as const;
