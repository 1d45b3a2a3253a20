import '@rowlock/servers/vitest';
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
