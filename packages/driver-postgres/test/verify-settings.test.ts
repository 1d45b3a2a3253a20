import '@rowlock/servers/vitest';
import { newJob } from '@rowlock/driver-conformance/internal';
import { freshDatabase } from '@rowlock/servers';
import pg from 'pg';
import { expect, inject, onTestFinished, test } from 'vitest';
import { postgres } from '../src/index.js';

async function database(...settings: readonly string[]): Promise<string> {
  const { url, drop } = await freshDatabase(inject('postgresUrl'));
  onTestFinished(drop);
  const driver = postgres({ connectionString: url });
  await driver.schema.migrate();
  await driver.close();
  const client = new pg.Client(url);
  await client.connect();
  const name = pg.escapeIdentifier(new URL(url).pathname.slice(1));
  for (const setting of settings) await client.query(`ALTER DATABASE ${name} SET ${setting}`);
  await client.end();
  return url;
}

test.each([
  ['default_transaction_isolation', "'serializable'"],
  ['default_transaction_isolation', "'repeatable read'"],
  ['default_transaction_read_only', 'on'],
  ['array_nulls', 'off'],
  ['standard_conforming_strings', 'off'],
  ['extra_float_digits', '-15'],
])('a database whose %s is %s is refused, on a pool of either sort', async (name, value) => {
  const url = await database(`${name} = ${value}`);
  const pool = new pg.Pool({ connectionString: url });
  onTestFinished(() => pool.end());
  const own = postgres({ connectionString: url });
  onTestFinished(() => own.close());
  for (const driver of [own, postgres({ pool })])
    await expect(driver.schema.verify()).rejects.toMatchObject({
      message: expect.stringContaining(`-c ${name}=`),
    });
});

test('what the message says to do helps', async () => {
  const url = await database(
    "default_transaction_isolation = 'serializable'",
    'default_transaction_read_only = on',
  );
  const options = '-c default_transaction_isolation=read\\ committed -c default_transaction_read_only=off';
  const driver = postgres({ connectionString: url, options });
  onTestFinished(() => driver.close());
  await driver.schema.verify();
});

test("'read uncommitted', which is the same to Postgres, is taken", async () => {
  const driver = postgres({
    connectionString: await database("default_transaction_isolation = 'read uncommitted'"),
  });
  onTestFinished(() => driver.close());
  await driver.schema.verify();
});

test('tables that are made where a backslash escapes are as they are elsewhere', async () => {
  const { url, drop } = await freshDatabase(inject('postgresUrl'));
  onTestFinished(drop);
  const name = pg.escapeIdentifier(new URL(url).pathname.slice(1));
  const client = new pg.Client(url);
  await client.connect();
  await client.query(`ALTER DATABASE ${name} SET standard_conforming_strings = off`);
  const made = postgres({ connectionString: url });
  await made.schema.migrate();
  await made.close();
  await client.query(`ALTER DATABASE ${name} RESET standard_conforming_strings`);
  await client.end();
  const driver = postgres({ connectionString: url });
  onTestFinished(() => driver.close());
  const limited = newJob({ limits: JSON.stringify({ mail: 3 }) });
  expect(await driver.jobs.enqueue([limited])).toMatchObject([{ outcome: 'enqueued' }]);
});

test.each([
  [
    'CREATE FUNCTION "before".now() RETURNS timestamptz LANGUAGE sql AS $$ SELECT timestamptz \'2000-01-01\' $$',
    'now',
  ],
  [
    `CREATE FUNCTION "before".never(text, text) RETURNS boolean LANGUAGE sql AS 'SELECT false';
     CREATE OPERATOR "before".= (LEFTARG = text, RIGHTARG = text, FUNCTION = "before".never)`,
    '=',
  ],
])(
  "a search path that puts another function or operator in the place of the server's is refused: %#",
  async (statement, named) => {
    const url = await database('search_path = "before", pg_catalog');
    const client = new pg.Client(url);
    await client.connect();
    await client.query(
      'CREATE SCHEMA "before"; CREATE FUNCTION "before".now(integer) RETURNS integer LANGUAGE sql RETURN 1',
    );
    const driver = postgres({ connectionString: url });
    onTestFinished(() => driver.close());
    await driver.schema.verify();
    await client.query(statement);
    await client.end();
    await expect(driver.schema.verify()).rejects.toMatchObject({
      code: 'EngineUnsuitable',
      message: expect.stringContaining(`'before.${named}'`),
    });
  },
);
