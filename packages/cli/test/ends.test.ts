import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';
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

test.each(['SIGINT', 'SIGTERM'] as const)('%s ends a command that waits for the database', async (signal) => {
  const silent = createServer((socket) => socket.resume()).listen(0, '127.0.0.1');
  onTestFinished(() => void silent.close());
  await once(silent, 'listening');
  const { port } = Object(silent.address());
  const DATABASE_URL = `postgres://ada@127.0.0.1:${port}/jobs`;
  const called = spawn(process.execPath, [program, 'status'], {
    env: { ...process.env, DATABASE_URL },
    stdio: 'ignore',
  });
  const [socket] = await once(silent, 'connection');
  called.kill(signal);
  expect(await once(called, 'exit')).toEqual([null, signal]);
  socket.destroy();
});

test('SIGTERM ends a program whose worker still starts', async () => {
  const { url } = await stage(SERVERS[0]);
  const module = fileURLToPath(new URL('waiting-plugin.mjs', import.meta.url));
  const called = spawn(process.execPath, [program, 'run', module], {
    env: { ...process.env, DATABASE_URL: url },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  onTestFinished(() => void called.kill('SIGKILL'));
  await once(called.stdout, 'data');
  called.kill('SIGTERM');
  expect(await once(called, 'exit')).toEqual([0, null]);
});

test('a standard error that nobody reads changes no exit code', async () => {
  const called = spawn(process.execPath, [program, 'jobs', 'list', '--limit', 'many'], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  called.stderr.destroy();
  expect(await once(called, 'exit')).toEqual([2, null]);
});
