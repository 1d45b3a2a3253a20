import '@rowlock/servers/vitest';
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { freshDatabase } from '@rowlock/servers';
import { expect, inject, onTestFinished, test } from 'vitest';

test("on an application's own pool no statement is queued behind another one, which pg warns about", async () => {
  const { url, drop } = await freshDatabase(inject('postgresUrl'));
  onTestFinished(drop);
  const program = fileURLToPath(new URL('own-pool.mjs', import.meta.url));
  const env = { ...process.env, DATABASE_URL: url };
  const run = promisify(execFile)(process.execPath, ['--trace-deprecation', program], {
    env,
    timeout: 60_000,
  });
  expect(await run).toEqual({ stdout: 'worked\n', stderr: '' });
});
