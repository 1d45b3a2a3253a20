import { randomBytes } from 'node:crypto';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createRowlock } from '@rowlock/core';
import { mysql } from '@rowlock/driver-mysql';
import { postgres } from '@rowlock/driver-postgres';
import { mysqlForTests, startEmbeddedPostgres } from '@rowlock/servers';
import { createConnection } from 'mysql2/promise';
import pg from 'pg';
import { expect, onTestFinished, test } from 'vitest';
import { call, objects } from './call.js';

/** A server of the test's own with Rowlock's tables: these settings are of a whole server. */
async function serverWith(settings: Readonly<Record<string, string>>): Promise<string> {
  const dataDir = join(tmpdir(), `rowlock-doctor-${randomBytes(8).toString('hex')}`);
  const server = await startEmbeddedPostgres({
    dataDir,
    persistent: false,
    settings,
  });
  onTestFinished(() => server.stop());
  const rowlock = createRowlock({ driver: postgres({ connectionString: server.url }) });
  await rowlock.migrate();
  await rowlock.close();
  return server.url;
}

async function examined(url: string) {
  const { code, stdout } = await call(['doctor', '--json'], { url });
  return { code, findings: objects(stdout) };
}

test('autovacuum that is off for the whole server', async () => {
  const url = await serverWith({ autovacuum: 'off' });
  expect(await examined(url)).toMatchObject({
    code: 0,
    findings: [{ check: 'autovacuum', severity: 'warning', what: 'The server has autovacuum = off.' }],
  });
});

test('a Postgres that does not write through, and one that does', async () => {
  const url = await serverWith({});
  expect(await call(['doctor'], { url })).toEqual({
    code: 0,
    stderr: '',
    stdout: expect.stringMatching(/^All is well\./),
  });
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  onTestFinished(() => client.end());
  for (const name of ['fsync', 'full_page_writes']) await client.query(`ALTER SYSTEM SET ${name} = off`);
  await client.query('SELECT pg_reload_conf()');
  await expect.poll(async () => (await client.query('SHOW fsync')).rows).toEqual([{ fsync: 'off' }]);
  expect(await examined(url)).toMatchObject({
    code: 0,
    findings: ['fsync', 'full_page_writes'].map((name) => ({
      check: 'durability',
      severity: 'warning',
      what: `The server has ${name} = off.`,
    })),
  });
});

test('a MySQL that is read-only, and one that does not write through', async () => {
  const server = await mysqlForTests({ own: true, fsync: true, settings: { 'innodb-doublewrite': 'OFF' } });
  onTestFinished(() => server.stop());
  const root = await createConnection({ uri: server.url });
  onTestFinished(() => root.end());
  await root.query('CREATE DATABASE jobs');
  const url = new URL('/jobs', server.url).href;
  const rowlock = createRowlock({ driver: mysql({ uri: url }) });
  await rowlock.migrate();
  await rowlock.close();
  const durable = (...settings: readonly string[]) => ({
    code: 0,
    findings: settings.map((each) => ({
      check: 'durability',
      severity: 'warning',
      what: `The server has ${each}.`,
    })),
  });
  expect(await examined(url)).toMatchObject(durable('innodb_doublewrite = OFF'));
  for (const value of [0, 2]) {
    await root.query(`SET GLOBAL innodb_flush_log_at_trx_commit = ${value}, GLOBAL sync_binlog = ${value}`);
    const others = [`innodb_flush_log_at_trx_commit = ${value}`, `sync_binlog = ${value}`];
    expect(await examined(url)).toMatchObject(durable(...others, 'innodb_doublewrite = OFF'));
  }
  await root.query('SET GLOBAL super_read_only = ON');
  const { code, findings } = await examined(url);
  await root.query('SET GLOBAL super_read_only = OFF, GLOBAL read_only = OFF');
  expect(code).toBe(1);
  expect(findings[0]).toMatchObject({
    check: 'trial',
    severity: 'broken',
    what: expect.stringContaining('This server is read-only'),
    remedy: expect.stringMatching(/^Look whether the server is up and writes/),
  });
  expect(JSON.stringify(findings)).not.toContain('lost');
  await root.query('LOCK TABLES jobs.rowlock_job WRITE');
  expect((await examined(url)).findings[0]).toMatchObject({
    check: 'server',
    severity: 'broken',
    what: expect.stringContaining('Lock wait timeout exceeded'),
    remedy: expect.stringMatching(/which session has locked the tables/),
  });
});

test('a queue of notifications that a listening session keeps from being emptied', async () => {
  const url = await serverWith({ max_notify_queue_pages: '64' });
  const listener = new pg.Client(url);
  await listener.connect();
  onTestFinished(() => listener.end());
  await listener.query('LISTEN filled');
  await listener.query('BEGIN');
  await listener.query('SELECT 1');
  const sender = new pg.Client(url);
  await sender.connect();
  onTestFinished(() => sender.end());
  // One takes a page of the 64.
  for (let page = 1; page <= 20; page++)
    await sender.query("SELECT pg_notify('filled', repeat('x', 7900) || $1)", [page]);
  expect(await examined(url)).toMatchObject({
    code: 0,
    findings: [
      {
        check: 'server',
        severity: 'warning',
        what: expect.stringMatching(/^The server's queue of notifications is \d\d % full/),
        remedy: expect.stringContaining('pg_stat_activity'),
      },
    ],
  });
  await listener.query('COMMIT');
  await listener.query('UNLISTEN *');
  expect(await examined(url)).toEqual({ code: 0, findings: [] });
});
