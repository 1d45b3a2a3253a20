import { randomBytes } from 'node:crypto';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createRowlock } from '@rowlock/core';
import { postgres } from '@rowlock/driver-postgres';
import { startEmbeddedPostgres } from '@rowlock/servers';
import pg from 'pg';
import { expect, onTestFinished, test } from 'vitest';
import { call, objects } from './call.js';

/** A server of the test's own with Rowlock's tables: these settings are of a whole server. */
async function serverWith(settings: Readonly<Record<string, string>>): Promise<string> {
  const dataDir = join(tmpdir(), `rowlock-doctor-${randomBytes(8).toString('hex')}`);
  const server = await startEmbeddedPostgres({
    dataDir,
    persistent: false,
    settings: { fsync: 'off', ...settings },
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
