import '@rowlock/servers/vitest';
import { setTimeout as sleep } from 'node:timers/promises';
import { createRowlock } from '@rowlock/core';
import { freshDatabase, startEmbeddedPostgres, temporaryDataDir } from '@rowlock/servers';
import pg from 'pg';
import { afterEach, beforeEach, expect, inject, onTestFinished, test } from 'vitest';
import { defineHandler, postgres } from '../src/index.js';

const anything = {
  '~standard': { version: 1, vendor: 'test', validate: (value: unknown) => ({ value }) },
} as const;

const Work = defineHandler({ kind: 'work', payload: anything, run: () => sleep(20).then(() => {}) });

let url: string;
let database: string;
let user: string;
let root: pg.Client;
let drop: () => Promise<void>;
/** Ends what the test has opened, before its database is dropped. */
let end: (() => Promise<void>)[];

beforeEach(async () => {
  end = [];
  ({ url, drop } = await freshDatabase(inject('postgresUrl')));
  database = new URL(url).pathname.slice(1);
  user = `limited_${database.slice(-8)}`;
  root = await connect(url);
  await root.query(`CREATE ROLE ${user} LOGIN PASSWORD 'change-me' CONNECTION LIMIT 6`);
  await root.query(`ALTER DATABASE ${database} OWNER TO ${user}`);
});

afterEach(async () => {
  for (const each of end) await each();
  await root.end();
  await drop();
  const server = await connect(inject('postgresUrl'));
  await server.query(`DROP ROLE ${user}`);
  await server.end();
});

async function connect(connectionString: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString });
  await client.connect();
  return client;
}

function ownUrl(): string {
  const own = new URL(url);
  own.username = user;
  own.password = 'change-me';
  return own.href;
}

function rowlockAs(connectionString: string) {
  const warnings: string[] = [];
  const log = { debug() {}, info() {}, warn: (_: object, text: string) => warnings.push(text), error() {} };
  const driver = postgres({ connectionString });
  const rowlock = createRowlock({ driver, handlers: [Work], log });
  end.push(() => rowlock.close());
  return { rowlock, driver, warnings };
}

test('the limits of the role and of the database are read, with what others have of them', async () => {
  await root.query(`ALTER DATABASE ${database} CONNECTION LIMIT 20`);
  const { rowlock, driver } = rowlockAs(ownUrl());
  await rowlock.migrate();
  const others = [await connect(ownUrl()), await connect(ownUrl())];
  const { limits } = await driver.schema.verify();
  for (const client of others) await client.end();
  const [server, ...own] = limits;
  expect(server).toMatchObject({
    name: expect.stringContaining('max_connections'),
    most: expect.any(Number),
  });
  expect(server?.used).toBeGreaterThanOrEqual(3);
  expect(own).toEqual([
    { name: `the CONNECTION LIMIT of the database ${database}`, most: 20, used: 3 },
    { name: `the CONNECTION LIMIT of the role ${user}`, most: 6, used: 2 },
  ]);
});

test('a superuser is beyond both', async () => {
  await root.query(`ALTER DATABASE ${database} CONNECTION LIMIT 1`);
  const { rowlock, driver } = rowlockAs(url);
  await rowlock.migrate();
  expect((await driver.schema.verify()).limits).toHaveLength(1);
});

test('a worker warns of a limit that is lower than its need, and does not start where none could work', async () => {
  const { rowlock, warnings } = rowlockAs(ownUrl());
  await rowlock.migrate();
  const worker = rowlock.worker({ concurrency: 5 });
  await worker.start();
  expect(warnings).toEqual([
    expect.stringMatching(/takes up to 7 .* of the role limited_\w+ is 6, and 0 are in use by others/),
  ]);
  await worker.stop();
  await root.query(`ALTER ROLE ${user} CONNECTION LIMIT 2`);
  await expect(rowlock.worker({ concurrency: 1 }).start()).rejects.toMatchObject({
    code: 'ROWLOCK_POOL_TOO_SMALL',
    message: expect.stringMatching(/needs 3 connections or more, and .* of the role limited_\w+ is 2/),
  });
});

test('under a limit of the database, or of the server, all jobs are done and none is lost', async () => {
  const server = await startEmbeddedPostgres({
    dataDir: temporaryDataDir('limits'),
    persistent: false,
    settings: { max_connections: '7' },
  });
  onTestFinished(() => server.stop());
  await root.query(`ALTER ROLE ${user} CONNECTION LIMIT -1`);
  await root.query(`ALTER DATABASE ${database} CONNECTION LIMIT 7`);
  for (const connectionString of [ownUrl(), server.url]) {
    const { rowlock } = rowlockAs(connectionString);
    await rowlock.migrate();
    await rowlock.enqueueMany(
      Work,
      Array.from({ length: 60 }, () => ({ payload: 1 })),
    );
    const worker = rowlock.worker({ concurrency: 10 });
    const [lost, faults]: [string[], string[]] = [[], []];
    worker.on('lost', (_, error) => lost.push(String(error)));
    worker.on('fault', (error) => faults.push(String(error)));
    const idle = new Promise<void>((resolve) => worker.on('idle', resolve));
    await worker.start();
    await idle;
    await rowlock.close();
    const reader = await connect(connectionString);
    const { rows } = await reader.query(
      'SELECT status, attempt, count(*)::integer FROM rowlock.job GROUP BY status, attempt',
    );
    await reader.end();
    expect(rows).toEqual([{ status: 'complete', attempt: 1, count: 60 }]);
    expect(lost).toEqual([]);
    expect(faults).toEqual([
      expect.stringMatching(/accepts no more than \d connections of a pool that may open 100/),
    ]);
  }
});
