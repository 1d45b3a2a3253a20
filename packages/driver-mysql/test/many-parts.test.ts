import { createRowlock } from '@rowlock/core';
import { freshMysqlDatabase } from '@rowlock/servers';
import { createConnection } from 'mysql2/promise';
import { expect, onTestFinished, test } from 'vitest';
import { defineHandler, mysql } from '../src/index.js';
import { serverUrl } from './server.js';

const anything = {
  '~standard': { version: 1, vendor: 'test', validate: (value: unknown) => ({ value }) },
} as const;

test('while the limits of 2,500 parts are reached, the job of the last part runs', async () => {
  const { url, drop } = await freshMysqlDatabase(serverUrl);
  const ran = Promise.withResolvers<void>();
  const Work = defineHandler({ kind: 'work', payload: anything, run: () => ran.resolve() });
  const driver = mysql({ uri: url });
  const rowlock = createRowlock({ driver, handlers: [Work] });
  const client = await createConnection(url);
  onTestFinished(async () => {
    await rowlock.close();
    await client.end();
    await drop();
  });
  await rowlock.migrate();
  const reached = Array.from({ length: 2_500 }, (_, n) => ['work', JSON.stringify({ all: 1, [`n${n}`]: 1 })]);
  await client.query('INSERT INTO rowlock_job (kind, limits) VALUES ?', [[...reached, ['work', '{"z":1}']]]);
  await using slot = await rowlock.limits.slots('all', { max: 1 }).acquire();
  expect(slot.outcome).toBe('acquired');
  await rowlock.worker().start();
  await ran.promise;
}, 120_000);
