import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { freshMysqlDatabase } from '@rowlock/servers';
import { expect, test } from 'vitest';
import { mysql } from '../src/index.js';
import { serverUrl } from './server.js';

const program = fileURLToPath(new URL('unused.mjs', import.meta.url));

test.concurrent.for([
  ['it was never used', 'unused', ''],
  ['createRowlock refused its options', 'refused', 'refused\n'],
  ['its idle connections are closed', 'used', 'used\n'],
  ['it has enqueued, and has woken a worker', 'enqueued', 'enqueued\n'],
  ['its worker has stopped', 'worked', 'worked\n'],
  ['it has given its slot back', 'held', 'held\n'],
])(
  'a process with a driver that is not closed ends by itself: %s',
  async ([, how = '', output], { onTestFinished }) => {
    const { url, drop } = await freshMysqlDatabase(serverUrl);
    onTestFinished(drop);
    const driver = mysql({ uri: url });
    await driver.schema.migrate();
    // A worker that sleeps on the server, so that the program opens a connection to wake it.
    const anchor = await driver.workers.anchor({ name: 'worker', host: 'host', pid: 1, queues: ['default'] });
    onTestFinished(() => driver.close());
    onTestFinished(() => anchor.release());
    const env = { ...process.env, DATABASE_URL: url };
    const { stdout } = await promisify(execFile)(process.execPath, [program, how], { env, timeout: 100_000 });
    expect(stdout).toBe(output);
  },
);
