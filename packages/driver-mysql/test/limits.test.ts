import { setTimeout as sleep } from 'node:timers/promises';
import { createRowlock } from '@rowlock/core';
import {
  freshMysqlDatabase,
  startEmbeddedMariadb,
  startEmbeddedMysql,
  temporaryDataDir,
} from '@rowlock/servers';
import { type Connection, createConnection, type RowDataPacket } from 'mysql2/promise';
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { defineHandler, mysql } from '../src/index.js';
import { product, serverUrl } from './server.js';

const anything = {
  '~standard': { version: 1, vendor: 'test', validate: (value: unknown) => ({ value }) },
} as const;

const Work = defineHandler({ kind: 'work', payload: anything, run: () => sleep(20).then(() => {}) });

let url: string;
let user: string;
let root: Connection;
let drop: () => Promise<void>;

beforeEach(async () => {
  ({ url, drop } = await freshMysqlDatabase(serverUrl));
  const database = new URL(url).pathname.slice(1);
  user = `limited_${database.slice(-8)}`;
  root = await createConnection(url);
  await root.query(`CREATE USER '${user}' IDENTIFIED BY 'change-me' WITH MAX_USER_CONNECTIONS 6`);
  await root.query(`GRANT ALL ON ${database}.* TO '${user}'`);
});

afterEach(async () => {
  await root.query(`DROP USER '${user}'`);
  await root.end();
  await drop();
});

function ownUrl(): string {
  const own = new URL(url);
  own.username = user;
  own.password = 'change-me';
  return own.href;
}

function rowlockAs(uri: string) {
  const warnings: string[] = [];
  const log = { debug() {}, info() {}, warn: (_: object, text: string) => warnings.push(text), error() {} };
  const driver = mysql({ uri });
  const rowlock = createRowlock({ driver, handlers: [Work], log });
  onTestFinished(() => rowlock.close());
  return { rowlock, driver, warnings };
}

/** The server may still count a session whose client has ended. */
async function untilOthersHave(driver: ReturnType<typeof mysql>, used: number) {
  return vi.waitFor(async () => {
    const verified = await driver.schema.verify();
    expect(verified.limits[1]?.used).toBe(used);
    return verified;
  }, 30_000);
}

test("the user's limit is read, with what others have of it", async () => {
  const { rowlock, driver } = rowlockAs(ownUrl());
  await rowlock.migrate();
  const others = [await createConnection(ownUrl()), await createConnection(ownUrl())];
  const { limits } = await untilOthersHave(driver, 2);
  for (const client of others) await client.end();
  const [server, ...own] = limits;
  expect(server).toMatchObject({
    name: expect.stringContaining('max_connections'),
    most: expect.any(Number),
  });
  expect(server?.used).toBeGreaterThanOrEqual(3);
  expect(own).toEqual([{ name: `the MAX_USER_CONNECTIONS of the user ${user}`, most: 6, used: 2 }]);
});

test('a worker warns of a limit that is lower than its need, and does not start where none could work', async () => {
  const { rowlock, driver, warnings } = rowlockAs(ownUrl());
  await rowlock.migrate();
  await untilOthersHave(driver, 0);
  const worker = rowlock.worker({ concurrency: 5 });
  await worker.start();
  expect(warnings).toEqual([
    expect.stringMatching(/takes up to 7 .* of the user limited_\w+ is 6, and 0 are in use by others/),
  ]);
  await rowlock.close();
  await vi.waitFor(async () => {
    const text = 'SELECT 1 FROM performance_schema.threads WHERE processlist_user = ?';
    const [sessions] = await root.query<RowDataPacket[]>(text, [user]);
    expect(sessions).toHaveLength(0);
  }, 30_000);
  await root.query(`ALTER USER '${user}' WITH MAX_USER_CONNECTIONS 2`);
  const { rowlock: another } = rowlockAs(ownUrl());
  await expect(another.worker({ concurrency: 1 }).start()).rejects.toMatchObject({
    code: 'ROWLOCK_POOL_TOO_SMALL',
    message: expect.stringMatching(/needs 3 connections or more, and .* of the user limited_\w+ is 2/),
  });
});

test('under a limit of the server all jobs are done, and none is lost', async () => {
  const start = product === 'mariadb' ? startEmbeddedMariadb : startEmbeddedMysql;
  const dataDir = temporaryDataDir('limits');
  const server = await start({ dataDir, persistent: false });
  onTestFinished(() => server.stop());
  const setUp = await createConnection(server.url);
  await setUp.query('CREATE DATABASE limited');
  await setUp.query('SET GLOBAL max_connections = 10');
  await setUp.end();
  const uri = new URL(server.url);
  uri.pathname = '/limited';
  const { rowlock } = rowlockAs(uri.href);
  await rowlock.migrate();
  await rowlock.enqueueMany(
    Work,
    Array.from({ length: 60 }, () => ({ payload: 1 })),
  );
  const worker = rowlock.worker({ concurrency: 20 });
  const [lost, faults]: [string[], string[]] = [[], []];
  worker.on('lost', (_, error) => lost.push(String(error)));
  worker.on('fault', (error) => faults.push(String(error)));
  const idle = new Promise<void>((resolve) => worker.on('idle', resolve));
  await worker.start();
  await idle;
  await rowlock.close();
  // Until the server has ended the worker's sessions it may accept no other.
  const reader = await vi.waitFor(() => createConnection(uri.href), 30_000);
  const [rows] = await reader.query(
    'SELECT status, attempt, COUNT(*) AS jobs FROM rowlock_job GROUP BY status, attempt',
  );
  await reader.end();
  expect(rows).toEqual([{ status: 'complete', attempt: 1, jobs: 60 }]);
  expect(lost).toEqual([]);
  expect(faults).toEqual([
    expect.stringMatching(/accepts no more than \d+ connections of a pool that may open 100/),
  ]);
});
