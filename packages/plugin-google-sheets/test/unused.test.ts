import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { emulated } from './emulated.js';

const program = fileURLToPath(new URL('unused.mjs', import.meta.url));

test('a process that has called Google ends by itself', async () => {
  const { emulator } = await emulated();
  const env = { ...process.env, ROOT_URL: emulator.url };
  const { stdout } = await promisify(execFile)(process.execPath, [program], { env, timeout: 30_000 });
  expect(stdout).toBe('called\n');
});
