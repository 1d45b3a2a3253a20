import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, existsSync, openSync } from 'node:fs';
import { createServer } from 'node:net';
import { text } from 'node:stream/consumers';
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

/** Takes nothing, as a file on a full disk. Linux has it, and other systems leave these tests out. */
const FULL = '/dev/full';

test.runIf(existsSync(FULL)).each([
  ['a table', ['jobs', 'list']],
  ['the help', ['--help']],
])('%s that a full disk does not take ends with 1 and a sentence', async (_, words) => {
  const { url } = await stage(SERVERS[0]);
  const full = openSync(FULL, 'w');
  onTestFinished(() => closeSync(full));
  const called = spawn(process.execPath, [program, ...words], {
    env: { ...process.env, DATABASE_URL: url },
    stdio: ['ignore', full, 'pipe'],
  });
  const [said, end] = await Promise.all([text(Object(called.stderr)), once(called, 'exit')]);
  expect(said).toMatch(/^The standard output has not taken all that was found: ENOSPC: .*\.\n$/);
  expect(end).toEqual([1, null]);
});

test.runIf(existsSync(FULL))('complaints that a full disk does not take end no worker', async () => {
  const { url } = await stage(SERVERS[0]);
  const full = openSync(FULL, 'w');
  onTestFinished(() => closeSync(full));
  const module = fileURLToPath(new URL('complaining-handler.mjs', import.meta.url));
  const env = { ...process.env, DATABASE_URL: url };
  const call = promisify(execFile);
  await call(process.execPath, [program, 'jobs', 'enqueue', 'complaint', '{}'], { env });
  const called = spawn(process.execPath, [program, 'run', module, '--until-idle'], {
    env,
    stdio: ['ignore', 'pipe', full],
  });
  const [said, end] = await Promise.all([text(Object(called.stdout)), once(called, 'exit')]);
  expect(said).toBe('1 job completed, 0 failed.\n');
  expect(end).toEqual([0, null]);
});
