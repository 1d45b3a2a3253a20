import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { freshMysqlDatabase } from '@rowlock/servers';
import { expect, onTestFinished, test } from 'vitest';
import { mysql } from '../src/index.js';
import { serverUrl } from './server.js';

const program = fileURLToPath(new URL('unused.mjs', import.meta.url));

test.each([
  ['it was never used', 'unused', ''],
  ['createRowlock refused its options', 'refused', 'refused\n'],
  ['its idle connections are closed', 'used', 'used\n'],
])('a process with a driver that is not closed ends by itself: %s', async (_, how, output) => {
  const { url, drop } = await freshMysqlDatabase(serverUrl);
  onTestFinished(drop);
  const driver = mysql({ uri: url });
  await driver.schema.migrate();
  await driver.close();
  const env = { ...process.env, DATABASE_URL: url };
  const { stdout } = await promisify(execFile)(process.execPath, [program, how], { env, timeout: 60_000 });
  expect(stdout).toBe(output);
});
