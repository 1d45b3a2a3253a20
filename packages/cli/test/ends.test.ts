import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { SERVERS, stages } from './servers.js';

const program = fileURLToPath(new URL('../dist/cli.js', import.meta.url));
const stage = stages();

test.each(SERVERS)('the command ends by itself, on $name', async (server) => {
  const { url } = await stage(server);
  const env = { ...process.env, DATABASE_URL: url };
  const { stdout } = await promisify(execFile)(process.execPath, [program, 'jobs', 'list', '--json'], {
    env,
    timeout: 30_000,
  });
  expect(stdout).toBe('');
});
