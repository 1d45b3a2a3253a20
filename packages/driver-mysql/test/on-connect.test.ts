import { createRowlock, defineHandler } from '@rowlock/core';
import { freshMysqlDatabase } from '@rowlock/servers';
import { type Connection, createConnection } from 'mysql2/promise';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type MysqlOptions, mysql } from '../src/index.js';
import { serverUrl } from './server.js';

let root: Connection;
/** The account has no right on the tables, except in the role `owner`. */
let account: string;
let owner: string;
let drop: () => Promise<void>;

beforeAll(async () => {
  const fresh = await freshMysqlDatabase(serverUrl);
  const url = new URL(fresh.url);
  const database = url.pathname.slice(1);
  owner = `owner_${database.slice(-8)}`;
  root = await createConnection(fresh.url);
  await root.query(`CREATE ROLE ${owner}`);
  await root.query(`CREATE USER login_${owner} IDENTIFIED BY 'change-me'`);
  await root.query(`GRANT ALL ON ${database}.* TO ${owner}`);
  await root.query(`GRANT ${owner} TO login_${owner}`);
  // Without any right on the database, nobody may connect to it.
  await root.query(`GRANT CREATE TEMPORARY TABLES ON ${database}.* TO login_${owner}`);
  url.username = `login_${owner}`;
  url.password = 'change-me';
  account = url.href;
  drop = fresh.drop;
});

afterAll(async () => {
  await root.query(`DROP USER login_${owner}`);
  await root.query(`DROP ROLE ${owner}`);
  await root.end();
  await drop();
});

const asOwner = (client: Connection): Promise<unknown> => client.query(`SET ROLE ${owner}`);

const Anything = {
  '~standard': { version: 1, vendor: 'test', validate: (value: unknown) => ({ value }) },
} as const;

const Work = defineHandler({ kind: 'work', payload: Anything, run: () => {} });

/** A worker runs a job, and stops. */
async function works(options: MysqlOptions): Promise<void> {
  const rowlock = createRowlock({ driver: mysql(options), handlers: [Work] });
  try {
    await rowlock.migrate();
    const worker = rowlock.worker({ concurrency: 2 });
    const settled = new Promise<readonly string[]>((resolve) =>
      worker.on('settled', (_, endings) => resolve([...endings.keys()])),
    );
    await worker.start();
    const { publicId } = await rowlock.enqueue(Work, { payload: 0 });
    expect(await settled).toEqual([publicId]);
    const [rows] = await root.query('SELECT status FROM rowlock_job WHERE public_id = ?', [publicId]);
    expect(rows).toEqual([{ status: 'complete' }]);
  } finally {
    await rowlock.close();
  }
}

test.each(['own', 'shared'] as const)(
  'onConnect is called for each connection of the driver, and awaited, with %s sessions',
  async (sessions) => {
    await works({ uri: account, sessions, onConnect: asOwner });
  },
);

test('what the driver needs of a session is set after onConnect', async () => {
  const onConnect = (client: Connection) => client.query("SET sql_mode = '', time_zone = '+05:00'");
  const driver = mysql({
    uri: account,
    onConnect: async (client) => [await asOwner(client), await onConnect(client)],
  });
  const held = driver.claims.session({ idleLimitMs: 60_000 });
  const [rows] = await held.handle.query('SELECT @@time_zone AS zone, @@sql_mode AS mode');
  expect(rows).toEqual([{ zone: '+00:00', mode: expect.stringContaining('STRICT_ALL_TABLES') }]);
  await held.rollback();
  await driver.close();
});

test('a connection whose onConnect fails is not used, and its error comes through', async () => {
  const onConnect = () => Promise.reject(new Error('no such role'));
  const driver = mysql({ uri: account, onConnect });
  for (const refused of [() => driver.schema.verify(), () => driver.schema.migrate()])
    await expect(refused()).rejects.toMatchObject({ message: expect.stringContaining('no such role') });
  await driver.close();
});
