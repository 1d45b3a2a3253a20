import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

const program = fileURLToPath(new URL('unused.mjs', import.meta.url));

test.each(['answered', 'slow'])('a process that is watched ends by itself: %s', async (how) => {
  const { stdout } = await promisify(execFile)(process.execPath, [program, how], { timeout: 30_000 });
  expect(stdout).toBe('watched\n');
});
