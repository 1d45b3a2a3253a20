import { freshDatabase } from '@rowlock/servers';
import '@rowlock/servers/vitest';
import { createRowlock } from '@rowlock/core';
import { limitsText } from '@rowlock/core/driver';
import { countStates } from '@rowlock/driver-conformance/internal';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, inject, onTestFinished, test } from 'vitest';
import { postgres } from '../src/index.js';

test.each(['rowlock', 'my "jobs"'])(
  "a caller's temporary tables are not taken for those of the schema %s",
  async (schema) => {
    const fresh = await freshDatabase(inject('postgresUrl'));
    onTestFinished(() => fresh.drop());
    const driver = postgres({ connectionString: fresh.url, schema });
    await driver.schema.migrate();
    const client = new pg.Client(fresh.url);
    await client.connect();
    onTestFinished(async () => {
      await client.end();
      await driver.close();
    });
    const within = pg.escapeIdentifier(schema);
    for (const table of ['job', 'bell', 'worker'])
      await client.query(
        `CREATE TEMPORARY TABLE ${table} (LIKE ${within}.${table} INCLUDING DEFAULTS INCLUDING IDENTITY)`,
      );
    await client.query(`LISTEN ${pg.escapeIdentifier(`rowlock:${schema}`)}`);
    const heard = new Promise((resolve) => client.once('notification', ({ payload }) => resolve(payload)));
    const { rows } = await client.query(`SELECT outcome FROM ${within}.enqueue('k', '{}')`);
    expect(rows).toEqual([{ outcome: 'enqueued' }]);
    expect(await countStates(driver, {})).toMatchObject({ new: 1 });
    expect(await heard).toBe('{"queue" : "default"}');
  },
);

test.each([
  ['many digits', '(SELECT jsonb_agg(1e308) FROM generate_series(1, 10000))'],
  ['one number of very many digits', 'to_jsonb(ARRAY(SELECT 1e131071 FROM generate_series(1, 20)))'],
  ['a long text', "to_jsonb(repeat('x', 3000000))"],
])('JSON that a worker would read as more than 2 MiB is refused: %s', async (_, json) => {
  const fresh = await freshDatabase(inject('postgresUrl'));
  onTestFinished(() => fresh.drop());
  const driver = postgres({ connectionString: fresh.url });
  onTestFinished(() => driver.close());
  await driver.schema.migrate();
  const client = new pg.Client(fresh.url);
  await client.connect();
  onTestFinished(() => client.end());
  const refusal = { code: '23514', message: expect.stringContaining('"at_most_2_mib"') };
  for (const statement of [
    `SELECT rowlock.enqueue('k', ${json})`,
    `SELECT rowlock.enqueue('k', metadata => jsonb_build_object('a', ${json}))`,
    `INSERT INTO rowlock.job (kind, payload) VALUES ('k', ${json})`,
  ])
    await expect(client.query(statement)).rejects.toMatchObject(refusal);
  expect(await countStates(driver, {})).toMatchObject({ new: 0 });
});

test("metadata with the name that is Rowlock's own is refused: the tick of a schedule would be forged", async () => {
  const fresh = await freshDatabase(inject('postgresUrl'));
  onTestFinished(() => fresh.drop());
  const driver = postgres({ connectionString: fresh.url });
  onTestFinished(() => driver.close());
  await driver.schema.migrate();
  const client = new pg.Client(fresh.url);
  await client.connect();
  onTestFinished(() => client.end());
  const enqueue = (metadata: string) =>
    client.query("SELECT outcome FROM rowlock.enqueue('k', metadata => $1)", [metadata]);
  const message = expect.stringContaining("metadata.rowlock is Rowlock's own");
  await expect(enqueue('{"rowlock": null}')).rejects.toMatchObject({ code: '22023', message });
  expect((await enqueue('{"a": {"rowlock": 1}}')).rows).toEqual([{ outcome: 'enqueued' }]);
});

describe('limits', () => {
  let client: pg.Client;
  let drop: () => Promise<void>;
  beforeAll(async () => {
    const fresh = await freshDatabase(inject('postgresUrl'));
    drop = fresh.drop;
    const driver = postgres({ connectionString: fresh.url });
    await driver.schema.migrate();
    await driver.close();
    client = new pg.Client(fresh.url);
    await client.connect();
  });
  afterAll(async () => {
    await client.end();
    await drop();
  });

  test.each([
    [],
    [['a', 1]],
    [
      ['b', 1_000],
      ['B', 20],
      ['a b', 3],
    ],
    [['quotes " and \\ and \t', 7]],
    [
      ['__proto__', 1],
      ['ü€', 2],
    ],
    ['12345678'].flatMap((digits) => [...digits].map((digit) => [digit, 1] as const)),
  ] as const)('are in the row as the driver writes them: %j', async (...limits) => {
    const all: readonly (readonly [string, number])[] = limits;
    const json = JSON.stringify(Object.fromEntries(all));
    await client.query('DELETE FROM rowlock.job');
    await client.query("SELECT rowlock.enqueue('k', limits => $1)", [json]);
    const { rows } = await client.query('SELECT limits FROM rowlock.job');
    expect(rows).toEqual([{ limits: limitsText(all.map(([name, max]) => ({ name, max }))) }]);
  });

  test('take starts too, alone or behind how many at once', async () => {
    const json = '{"maps": [60, 60000, 1], "mail": [3, 1, 500, 9], "a": 1}';
    await client.query('DELETE FROM rowlock.job');
    await client.query("SELECT rowlock.enqueue('k', limits => $1)", [json]);
    const { rows } = await client.query('SELECT limits FROM rowlock.job');
    const limits = [
      { name: 'a', max: 1 },
      { name: 'mail', max: 3, starts: 1, perMs: 500, burst: 9 },
      { name: 'maps', starts: 60, perMs: 60_000, burst: 1 },
    ];
    expect(rows).toEqual([{ limits: limitsText(limits) }]);
  });

  test.each([
    '[]',
    '3',
    '{"a": 0}',
    '{"a": 1001}',
    '{"a": 1.5}',
    '{"a": "1"}',
    '{"a": null}',
    '{"": 1}',
    '{"a": []}',
    '{"a": [1, 1000]}',
    '{"a": [0, 1000, 1]}',
    '{"a": [1000001, 1000, 1]}',
    '{"a": [1, 0, 1]}',
    '{"a": [1, 1000, 1001]}',
    '{"a": [1, 1, 1000, 1, 1]}',
    '{"a": [[1, 1000, 1]]}',
    '{"a": {"limit": 1}}',
    JSON.stringify(Object.fromEntries([...'123456789'].map((name) => [name, 1]))),
    JSON.stringify({ ['x'.repeat(600)]: 1 }),
  ])('of another form are refused: %s', async (json) => {
    const refused = client.query("SELECT rowlock.enqueue('k', limits => $1)", [json]);
    await expect(refused).rejects.toMatchObject({ code: expect.stringMatching(/^(23514|22023)$/) });
  });

  test.each([
    '{}',
    ' ',
    '{"a":1}}',
    '{"a":1,}',
    '{"a":1"b":2}',
    '{"a": 1}',
    '{"a":01}',
    '{"\\x":1}',
    '{"a":1} ',
    '{"a":[1, 1000,1]}',
    '{"a":[1,1000,1}',
    '{"a":1,1000,1]}',
  ])('a row that is written by hand has none of the form %j', async (text) => {
    const refused = client.query("INSERT INTO rowlock.job (kind, limits) VALUES ('k', $1)", [text]);
    await expect(refused).rejects.toMatchObject({ code: '23514', constraint: 'names_and_sizes' });
  });
});

test.each(['infinity', '-infinity'])('a job that would be available at %s is refused', async (time) => {
  const fresh = await freshDatabase(inject('postgresUrl'));
  onTestFinished(() => fresh.drop());
  const driver = postgres({ connectionString: fresh.url });
  onTestFinished(() => driver.close());
  await driver.schema.migrate();
  const client = new pg.Client(fresh.url);
  await client.connect();
  onTestFinished(() => client.end());
  const refused = client.query("SELECT rowlock.enqueue('k', available_at => $1)", [time]);
  await expect(refused).rejects.toMatchObject({
    code: '23514',
    message: expect.stringContaining('"time_is_finite"'),
  });
  const inserted = client.query("INSERT INTO rowlock.job (kind, available_at) VALUES ('k', $1)", [time]);
  await expect(inserted).rejects.toMatchObject({ code: '23514' });
  expect(await countStates(driver, {})).toMatchObject({ new: 0 });
});

test('rows that were written by hand are shown, with times that no Date can hold and errors of any form', async () => {
  const fresh = await freshDatabase(inject('postgresUrl'));
  onTestFinished(() => fresh.drop());
  const rowlock = createRowlock({ driver: postgres({ connectionString: fresh.url }) });
  onTestFinished(() => rowlock.close());
  await rowlock.migrate();
  const client = new pg.Client(fresh.url);
  await client.connect();
  onTestFinished(() => client.end());
  const late = "'294000-01-01'";
  for (const statement of [
    `INSERT INTO rowlock.job (kind, available_at, created_at) VALUES ('k', ${late}, 'infinity')`,
    `INSERT INTO rowlock.job (kind, created_at, status, finished_at, error)
     VALUES ('k', '-infinity', 'error', 'infinity', '{"reason": "by hand"}'), ('k', now(), 'error', now(), '"gone"')`,
    `INSERT INTO rowlock.pause (scope, name, paused_until) VALUES ('queue', 'q', ${late})`,
    `INSERT INTO rowlock.limit_setting (name, max, set_at, set_by) VALUES ('l', 1, ${late}, '')`,
    `INSERT INTO rowlock.schedule (name, plan, fingerprint, source, next_at) VALUES ('s', '{}', '', 'dynamic', ${late})`,
    `INSERT INTO rowlock.audit (noted_at, operator, action, scope, name, details) VALUES (${late}, 'o', 'pause', 'all', '', '{}')`,
  ])
    await client.query(statement);
  const last = new Date(8.64e15);
  const { jobs } = await rowlock.jobs.list({ order: 'oldest' });
  expect(jobs).toMatchObject([
    { availableAt: last, createdAt: last, finishedAt: null },
    { createdAt: new Date('-004713-11-24'), finishedAt: last, error: { message: '{"reason":"by hand"}' } },
    { error: { code: 'Error', message: '"gone"' } },
  ]);
  for (const { publicId } of jobs) expect(await rowlock.insight.explain(publicId)).toBeDefined();
  expect(await rowlock.jobs.pauses()).toMatchObject([{ until: last }]);
  expect(await rowlock.limits.list()).toMatchObject([{ setAt: last }]);
  expect(await rowlock.schedules.list()).toMatchObject([{ nextAt: last }]);
  expect(await rowlock.insight.audit()).toMatchObject({ entries: [{ at: last }] });
});
