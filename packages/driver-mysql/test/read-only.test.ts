import { createRowlock, type Driver, defineCapture } from '@rowlock/core';
import { newJob } from '@rowlock/driver-conformance/internal';
import {
  type EmbeddedMysql,
  startEmbeddedMariadb,
  startEmbeddedMysql,
  temporaryDataDir,
} from '@rowlock/servers';
import { type Connection, createConnection, type RowDataPacket } from 'mysql2/promise';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { context } from '../src/context.js';
import { type MysqlTransaction, mysql } from '../src/index.js';
import { lockPrefix } from '../src/workers/lock-name.js';
import { Ringer } from '../src/workers/ringer.js';
import { product } from './server.js';

/** A server of this file's own, which it switches over: to reading only, for all but root, and back. */
let server: EmbeddedMysql;
let root: Connection;
let driver: Driver<MysqlTransaction>;

beforeAll(async () => {
  const start = product === 'mariadb' ? startEmbeddedMariadb : startEmbeddedMysql;
  const dataDir = temporaryDataDir('test');
  server = await start({ dataDir, persistent: false, settings: { 'performance-schema': 'ON' } });
  root = await createConnection(server.url);
  await root.query('CREATE DATABASE rowlock CHARACTER SET utf8mb4');
  for (const account of ['app', 'caller']) {
    await root.query(`CREATE USER '${account}'@'%' IDENTIFIED BY 'secret'`);
    await root.query(`GRANT ALL ON rowlock.* TO '${account}'@'%'`);
  }
});

afterAll(async () => {
  await root.end();
  await server.stop();
});

function url(account: 'app' | 'caller'): string {
  return `mysql://${account}:secret@127.0.0.1:${server.port}/rowlock`;
}

beforeEach(async () => {
  driver = mysql({ uri: url('app'), maxConnections: 5 });
  await driver.schema.migrate();
});

afterEach(async () => {
  await onlyReads(false);
  await driver.close();
});

async function onlyReads(only: boolean): Promise<void> {
  await root.query(`SET GLOBAL read_only = ${only ? 1 : 0}`);
}

const JOB = newJob();

/** The numbers of an account's connections. */
async function connections(of: 'app' | 'caller' = 'app'): Promise<readonly string[]> {
  const [rows] = await root.query<RowDataPacket[]>('SHOW PROCESSLIST');
  return rows.filter(({ User }) => User === of).map(({ Id }) => String(Id));
}

async function connectionOf(tx: MysqlTransaction): Promise<string> {
  const [[self]] = await tx.query('SELECT CAST(CONNECTION_ID() AS CHAR) AS id');
  return self.id;
}

test('a claim that a read-only server refuses gives its connection up', async () => {
  const criteria = { queue: 'none', kinds: ['k'], line: { priority: 0, id: 0n }, busy: [], limit: 1 };
  const first = driver.claims.session({ idleLimitMs: 60_000 });
  const connection = await connectionOf(first.handle);
  await onlyReads(true);
  await expect(first.claim(criteria)).rejects.toMatchObject({ code: 'ConnectionLost' });
  await first.rollback();
  await onlyReads(false);
  const second = driver.claims.session({ idleLimitMs: 60_000 });
  expect(await connectionOf(second.handle)).not.toBe(connection);
  expect(await second.claim(criteria)).toEqual([]);
  await second.rollback();
});

test('and so does what is enqueued', async () => {
  await driver.jobs.enqueue([JOB]);
  await vi.waitFor(async () => expect(await connections()).not.toEqual([]), 30_000);
  await onlyReads(true);
  for (const _ of Array.from({ length: 5 }))
    await expect(driver.jobs.enqueue([JOB])).rejects.toMatchObject({ code: 'ConnectionLost' });
  const before = await connections();
  await onlyReads(false);
  await driver.jobs.enqueue([JOB]);
  const writer = (await connections()).filter((id) => !before.includes(id));
  expect(writer).not.toEqual([]);
});

test('a producer wakes the workers of a server that writes', async () => {
  const ringer = new Ringer(context('rowlock', 5_000), root, () => createConnection(url('caller')));
  await ringer.interrupt([{ queue: 'q' }]);
  await ringer.interrupt([{ queue: 'q' }]);
  expect(await connections('caller')).toHaveLength(1);
  await onlyReads(true);
  ringer.expectSleeper();
  await ringer.interrupt([{ queue: 'q' }]);
  await vi.waitFor(async () => expect(await connections('caller')).toEqual([]), 30_000);
  await onlyReads(false);
  await ringer.interrupt([{ queue: 'q' }]);
  expect(await connections('caller')).toHaveLength(1);
  await ringer.close();
});

test.each([true, false])(
  'a worker’s session leaves a server that only reads now, and is back on one that writes; pushed: %s',
  async (push) => {
    const own = mysql({ uri: url('app'), push });
    const heard: string[] = [];
    const session = { lost: () => heard.push('lost'), back: () => heard.push('back') };
    const anchor = await own.workers.anchor({ name: 'w', host: 'h', pid: 1, queues: ['q'] }, session);
    expect(anchor.pushed).toBe(push);
    const stopping = new AbortController();
    const wakeUps = anchor.wakeUps({ queues: ['q'], everyMs: 3_600_000, signal: stopping.signal });
    const listening = (async () => {
      for await (const _ of wakeUps);
    })();
    const holder = async (): Promise<string> => {
      const lock = [lockPrefix('rowlock'), anchor.workerId];
      const [[row]] = await root.query<RowDataPacket[]>('SELECT IS_USED_LOCK(CONCAT(?, ?)) AS holder', lock);
      return String(row?.holder);
    };
    try {
      const first = await holder();
      await onlyReads(true);
      await vi.waitFor(() => expect(heard).toContain('lost'), 60_000);
      await onlyReads(false);
      await vi.waitFor(() => expect(heard.at(-1)).toBe('back'), 60_000);
      expect(await holder()).toMatch(/^\d+$/);
      expect(await holder()).not.toBe(first);
    } finally {
      stopping.abort();
      await listening;
      await anchor.release();
      await own.close();
    }
  },
);

test('a server that only reads is looked at for what captures need', async () => {
  await root.query('SET GLOBAL log_bin_trust_function_creators = 1');
  await root.query('CREATE TABLE rowlock.note (id BIGINT PRIMARY KEY)');
  const [there, missing] = ['there', 'missing'].map((name) =>
    defineCapture({ name, table: 'note', id: ['id'], kind: 'k', onError: 'note', bulk: { over: 100 } }),
  );
  if (there === undefined || missing === undefined) throw new Error('There are two.');
  await createRowlock({ driver, captures: [there] }).captures.apply();
  const { captures } = createRowlock({ driver, captures: [there, missing] });
  const before = await captures.check();
  await onlyReads(true);
  expect(await captures.check()).toEqual(before);
  expect(before).toMatchObject([
    { name: 'there', problems: [] },
    { name: 'missing', problems: [{ code: 'missing' }, { code: 'missing' }, { code: 'missing' }] },
  ]);
});
