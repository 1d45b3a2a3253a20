import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { SERVERS, stages } from './servers.js';

const stage = stages();

const PROGRAM = fileURLToPath(new URL('../dist/cli.js', import.meta.url));

function start(args: readonly string[], url: string) {
  return spawn(process.execPath, [PROGRAM, ...args], { env: { ...process.env, DATABASE_URL: url } });
}

test('a reader that has read enough, as `head`, ends the program well', async () => {
  const { url, rowlock } = await stage(SERVERS[0]);
  const payload = { text: 'x'.repeat(2_000) };
  const Mail = { kind: 'mail', payload: z.object({ text: z.string() }) };
  await rowlock.enqueueMany(
    Mail,
    Array.from({ length: 1_000 }, () => ({ payload })),
  );
  const child = start(['jobs', 'list', '--json', '--limit', '1000'], url);
  const [exit, errors] = [once(child, 'exit'), text(child.stderr)];
  await once(child.stdout, 'data');
  child.stdout.destroy();
  expect([await exit, await errors]).toEqual([[0, null], '']);
});

test('Ctrl-C ends what goes on, and the program ends well', async () => {
  const { url } = await stage(SERVERS[0]);
  const child = start(['status', '--watch'], url);
  const [exit, errors] = [once(child, 'exit'), text(child.stderr)];
  await once(child.stdout, 'data');
  child.kill('SIGINT');
  expect([await exit, await errors]).toEqual([[0, null], '']);
});
