import '@rowlock/servers/vitest';
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { freshDatabase } from '@rowlock/servers';
import { expect, inject, test } from 'vitest';
import { postgres } from '../src/index.js';

const program = fileURLToPath(new URL('unused.mjs', import.meta.url));

test.concurrent.for([
  ['it was never used', 'unused', ''],
  ['createRowlock refused its options', 'refused', 'refused\n'],
  ['its idle connections are closed', 'used', 'used\n'],
  ['it has enqueued', 'enqueued', 'enqueued\n'],
  ['its worker has stopped', 'worked', 'worked\n'],
  ['it has given its slot back', 'held', 'held\n'],
])(
  'a process with a driver that is not closed ends by itself: %s',
  async ([, how = '', output], { onTestFinished }) => {
    const { url, drop } = await freshDatabase(inject('postgresUrl'));
    onTestFinished(drop);
    const driver = postgres({ connectionString: url });
    await driver.schema.migrate();
    await driver.close();
    const env = { ...process.env, DATABASE_URL: url };
    const { stdout } = await promisify(execFile)(process.execPath, [program, how], { env, timeout: 100_000 });
    expect(stdout).toBe(output);
  },
);
