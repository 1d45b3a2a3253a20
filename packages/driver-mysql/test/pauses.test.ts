import { createRowlock } from '@rowlock/core';
import { freshMysqlDatabase } from '@rowlock/servers';
import { createConnection, createPool } from 'mysql2/promise';
import { expect, onTestFinished, test } from 'vitest';
import { type MysqlTransaction, mysql } from '../src/index.js';
import { product, serverUrl } from './server.js';

const FAILED_CHECK = product === 'mysql' ? 3819 : 4025;

/** A database, a client of the driver, and the plain client. */
async function opened() {
  const fresh = await freshMysqlDatabase(serverUrl);
  const driver = mysql({ uri: fresh.url });
  const rowlock = createRowlock({ driver });
  await rowlock.migrate();
  const client = await createConnection({ uri: fresh.url, timezone: 'Z' });
  onTestFinished(async () => {
    await client.end();
    await rowlock.close();
    await fresh.drop();
  });
  const rows = async (text: string) => (await client.query(text))[0];
  return { url: fresh.url, driver, rowlock, client, rows };
}

test('SQL pauses each kind of work, and resumes it', async () => {
  const { rowlock, client, rows } = await opened();
  await client.query("CALL rowlock_pause('queue', 'mail', '2100-01-01', 'down', 'ann')");
  await client.query("CALL rowlock_pause('kind', 'mail', NULL, NULL, NULL)");
  await client.query("CALL rowlock_pause('limit', 'mail', NULL, NULL, NULL)");
  await client.query("CALL rowlock_pause('all', NULL, NULL, NULL, NULL)");
  const [found] = Object.values(await rows('SELECT USER() AS user'));
  const rest = { until: null, reason: null, by: found.user, pausedAt: expect.any(Date) };
  expect(await rowlock.jobs.pauses()).toEqual([
    { scope: 'all', name: '', ...rest },
    { scope: 'kind', name: 'mail', ...rest },
    { scope: 'limit', name: 'mail', ...rest },
    {
      scope: 'queue',
      name: 'mail',
      until: new Date('2100-01-01T00:00:00Z'),
      reason: 'down',
      by: 'ann',
      pausedAt: expect.any(Date),
    },
  ]);
  await client.query("CALL rowlock_pause('queue', 'mail', NULL, 'again', NULL)");
  expect(await rowlock.jobs.pauses()).toContainEqual({
    scope: 'queue',
    name: 'mail',
    ...rest,
    reason: 'again',
  });
  for (const work of ["'queue', 'mail'", "'kind', 'mail'", "'limit', 'mail'", "'all', NULL"])
    await client.query(`CALL rowlock_resume(${work})`);
  expect(await rowlock.jobs.pauses()).toEqual([]);
});

test('SQL must name what to pause', async () => {
  const { rowlock, client } = await opened();
  for (const work of ["'queue', NULL", "'queue', ''", "'all', 'mail'", "'job', 'mail'"])
    await expect(client.query(`CALL rowlock_pause(${work}, NULL, NULL, NULL)`)).rejects.toMatchObject({
      errno: FAILED_CHECK,
    });
  expect(await rowlock.jobs.pauses()).toEqual([]);
});

test('a pause from SQL, and its end, ring the bell in the transaction', async () => {
  const { client, rows } = await opened();
  await client.query('START TRANSACTION');
  await client.query("CALL rowlock_pause('queue', 'mail', NULL, NULL, NULL)");
  await client.query('ROLLBACK');
  expect(await rows('SELECT wake_up FROM rowlock_bell')).toEqual([]);
  await client.query("CALL rowlock_pause('queue', 'mail', NULL, NULL, NULL)");
  await client.query("CALL rowlock_pause('kind', 'mail', NULL, NULL, NULL)");
  await client.query("CALL rowlock_resume('queue', 'mail')");
  const rung = Object.values(
    await rows('SELECT CAST(wake_up AS CHAR) AS wake_up FROM rowlock_bell ORDER BY id'),
  );
  expect(rung.map(({ wake_up }) => JSON.parse(wake_up))).toEqual([{ queue: 'mail' }, {}, { queue: 'mail' }]);
});

test('a pause that has ended is deleted when the next one is set, unless it is locked', async () => {
  const { rowlock, client, rows } = await opened();
  const ended = (queue: string) => rowlock.jobs.pause({ queue }, { until: new Date('2000-01-01') });
  await client.query(
    "INSERT INTO rowlock_pause (scope, name, paused_until) VALUES ('queue', 'a', '2000-01-01')",
  );
  await client.query('START TRANSACTION');
  await client.query("SELECT 1 FROM rowlock_pause WHERE name = 'a' AND scope = 'queue' FOR UPDATE");
  await ended('b');
  await rowlock.jobs.pause({ queue: 'c' });
  expect(await rows('SELECT name FROM rowlock_pause ORDER BY name')).toEqual([{ name: 'a' }, { name: 'c' }]);
  await client.query('COMMIT');
  await ended('d');
  expect(await rows('SELECT name FROM rowlock_pause ORDER BY name')).toEqual([{ name: 'c' }]);
});

test('ten thousand jobs of a paused queue or limit cost claims and looks nothing', async () => {
  const { url, driver, rowlock } = await opened();
  const pool = createPool(url);
  onTestFinished(() => pool.end());
  const ten = Array.from({ length: 10 }, (_, n) => `SELECT ${n} AS n`).join(' UNION ALL ');
  const many = Array.from({ length: 4 }, (_, place) => `(${ten}) AS d${place}`).join(' JOIN ');
  const limits = '{"a":1}';
  for (const text of ['', limits])
    await pool.query(`INSERT INTO rowlock_job (queue, kind, limits) SELECT 'q', 'k', '${text}' FROM ${many}`);
  await pool.query('ANALYZE TABLE rowlock_job');
  const line = { priority: -32_768, id: 0n };
  const held = driver.claims.session({ idleLimitMs: 60_000 });
  onTestFinished(() => held.rollback());
  for (const [work, text] of [
    [{ queue: 'q' }, ''],
    [{ queue: 'q' }, limits],
    [{ limit: 'a' }, limits],
    ['all', ''],
  ] as const) {
    await rowlock.jobs.pause(work);
    const before = await reads(held.handle);
    expect(await held.claim({ queue: 'q', kinds: ['k'], limits: text, line, busy: [], limit: 1 })).toEqual(
      [],
    );
    expect((await reads(held.handle)) - before, `${JSON.stringify(work)} ${text}`).toBeLessThan(200);
    await rowlock.jobs.resume(work);
  }
});

/** How many rows and keys a session has read. */
async function reads(on: MysqlTransaction): Promise<number> {
  const [rows] = await on.query("SHOW SESSION STATUS LIKE 'Handler_read%'");
  return rows.reduce((sum: number, row: { Value: string }) => sum + Number(row.Value), 0);
}
