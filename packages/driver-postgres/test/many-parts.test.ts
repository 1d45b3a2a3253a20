import '@rowlock/servers/vitest';
import { createRowlock } from '@rowlock/core';
import { freshDatabase } from '@rowlock/servers';
import pg from 'pg';
import { expect, inject, onTestFinished, test } from 'vitest';
import { defineHandler, postgres } from '../src/index.js';

const anything = {
  '~standard': { version: 1, vendor: 'test', validate: (value: unknown) => ({ value }) },
} as const;

test('while the limits of 2,500 parts are reached, the job of the last part runs', async () => {
  const { url, drop } = await freshDatabase(inject('postgresUrl'));
  const ran = Promise.withResolvers<void>();
  const Work = defineHandler({ kind: 'work', payload: anything, run: () => ran.resolve() });
  const driver = postgres({ connectionString: url });
  const rowlock = createRowlock({ driver, handlers: [Work] });
  const client = new pg.Client(url);
  await client.connect();
  onTestFinished(async () => {
    await rowlock.close();
    await client.end();
    await drop();
  });
  await rowlock.migrate();
  await client.query(
    `INSERT INTO rowlock.job (kind, limits)
     SELECT 'work', CASE n WHEN 2501 THEN '{"z":1}' ELSE format('{"all":1,"n%s":1}', n) END
     FROM generate_series(1, 2501) AS n`,
  );
  await using slot = await rowlock.limits.slots('all', { max: 1 }).acquire();
  expect(slot.outcome).toBe('acquired');
  await rowlock.worker().start();
  await ran.promise;
}, 120_000);
