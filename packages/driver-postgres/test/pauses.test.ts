import { createRowlock } from '@rowlock/core';
import { freshDatabase } from '@rowlock/servers';
import pg from 'pg';
import { expect, inject, onTestFinished, test } from 'vitest';
import { postgres } from '../src/index.js';

const UNTIL = new Date('2100-01-01T00:00:00Z');

/** A database, a client of the driver, and the plain client. */
async function opened() {
  const database = await freshDatabase(inject('postgresUrl'));
  const rowlock = createRowlock({ driver: postgres({ connectionString: database.url }) });
  await rowlock.migrate();
  const client = new pg.Client(database.url);
  await client.connect();
  onTestFinished(async () => {
    await client.end();
    await rowlock.close();
    await database.drop();
  });
  return { rowlock, client };
}

test('SQL pauses each kind of work, and resumes it', async () => {
  const { rowlock, client } = await opened();
  await client.query(
    "SELECT rowlock.pause(queue => 'mail', until => $1, reason => 'down', paused_by => 'ann')",
    [UNTIL],
  );
  await client.query("SELECT rowlock.pause(kind => 'mail')");
  await client.query("SELECT rowlock.pause(limit_name => 'mail')");
  await client.query('SELECT rowlock.pause(everything => true)');
  const { rows } = await client.query('SELECT session_user');
  const by = rows[0].session_user;
  const rest = { until: null, reason: null, by, pausedAt: expect.any(Date) };
  expect(await rowlock.jobs.pauses()).toEqual([
    { scope: 'all', name: '', ...rest },
    { scope: 'kind', name: 'mail', ...rest },
    { scope: 'limit', name: 'mail', ...rest },
    { scope: 'queue', name: 'mail', until: UNTIL, reason: 'down', by: 'ann', pausedAt: expect.any(Date) },
  ]);
  for (const named of ["queue => 'mail'", "kind => 'mail'", "limit_name => 'mail'", 'everything => true'])
    expect(await resumed(client, named)).toBe(true);
  expect(await resumed(client, "queue => 'mail'")).toBe(false);
  expect(await rowlock.jobs.pauses()).toEqual([]);
});

test('SQL pauses again in place of the first time', async () => {
  const { rowlock, client } = await opened();
  await client.query("SELECT rowlock.pause(queue => 'mail', reason => 'one')");
  await client.query("SELECT rowlock.pause(queue => 'mail', reason => 'two')");
  expect(await rowlock.jobs.pauses()).toMatchObject([{ reason: 'two' }]);
});

test('SQL must name what to pause, and one thing alone', async () => {
  const { rowlock, client } = await opened();
  for (const named of [
    '',
    'queue => NULL',
    "queue => 'a', kind => 'b'",
    "queue => 'a', everything => true",
  ]) {
    await expect(client.query(`SELECT rowlock.pause(${named})`)).rejects.toMatchObject({ code: '22023' });
    await expect(client.query(`SELECT rowlock.resume(${named})`)).rejects.toMatchObject({ code: '22023' });
  }
  for (const named of ["queue => ''", `queue => '${'x'.repeat(129)}'`, "queue => 'a', until => 'infinity'"])
    await expect(client.query(`SELECT rowlock.pause(${named})`)).rejects.toMatchObject({ code: '23514' });
  expect(await rowlock.jobs.pauses()).toEqual([]);
});

test('a pause from SQL, and its end, wake workers with the commit', async () => {
  const { client } = await opened();
  const heard: (string | undefined)[] = [];
  const both = new Promise<void>((resolve) =>
    client.on('notification', ({ payload }) => heard.push(payload) === 3 && resolve()),
  );
  await client.query('LISTEN "rowlock:rowlock"');
  await client.query('BEGIN');
  await client.query("SELECT rowlock.pause(queue => 'mail')");
  await client.query('ROLLBACK');
  await client.query("SELECT rowlock.pause(queue => 'mail')");
  await client.query("SELECT rowlock.pause(kind => 'mail')");
  await client.query("SELECT rowlock.resume(kind => 'mail')");
  await both;
  expect(heard.map((text) => JSON.parse(text ?? ''))).toEqual([{ queue: 'mail' }, {}, {}]);
});

test('SQL works in a schema that was renamed, beside a table of the caller', async () => {
  const { client } = await opened();
  await client.query('ALTER SCHEMA rowlock RENAME TO work');
  await client.query('CREATE TEMPORARY TABLE pause (scope text, name text)');
  await client.query("SELECT work.pause(queue => 'mail')");
  const { rows } = await client.query('SELECT scope, name FROM work.pause');
  expect(rows).toEqual([{ scope: 'queue', name: 'mail' }]);
});

test('a pause that has ended is deleted when the next one is set, unless it is locked', async () => {
  const { rowlock, client } = await opened();
  const ended = (queue: string) => rowlock.jobs.pause({ queue }, { until: new Date(0) });
  await ended('a');
  await client.query('BEGIN');
  await client.query("SELECT FROM rowlock.pause WHERE name = 'a' FOR UPDATE");
  await ended('b');
  await rowlock.jobs.pause({ queue: 'c' });
  const names = async () => (await client.query('SELECT name FROM rowlock.pause ORDER BY name')).rows;
  expect(await names()).toEqual([{ name: 'a' }, { name: 'c' }]);
  await client.query('COMMIT');
  await ended('d');
  expect(await names()).toEqual([{ name: 'c' }, { name: 'd' }]);
});

/** Whether the work was paused. */
async function resumed(client: pg.Client, named: string): Promise<unknown> {
  const { rows } = await client.query(`SELECT rowlock.resume(${named}) AS was_paused`);
  return rows[0].was_paused;
}
