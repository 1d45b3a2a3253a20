import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { createRowlock } from '@rowlock/core';
import { postgres } from '@rowlock/driver-postgres';
import { freshDatabase } from '@rowlock/servers';
import '@rowlock/servers/vitest';
import { expect, inject, onTestFinished, test } from 'vitest';

const program = fileURLToPath(new URL('unused.mjs', import.meta.url));

test('a process with a dashboard that is not closed ends by itself', async () => {
  const { url, drop } = await freshDatabase(inject('postgresUrl'));
  onTestFinished(drop);
  const rowlock = createRowlock({ driver: postgres({ connectionString: url }) });
  await rowlock.migrate();
  await rowlock.close();
  const env = { ...process.env, DATABASE_URL: url };
  const { stdout } = await promisify(execFile)(process.execPath, [program], { env, timeout: 60_000 });
  expect(stdout).toBe('200\n'.repeat(5));
});
