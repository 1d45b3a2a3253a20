import { spawnSync } from 'node:child_process';
import { chmodSync, cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, test } from 'vitest';

const SCRIPTS = fileURLToPath(new URL('../../scripts/', import.meta.url));

let checkout;

beforeEach(() => {
  checkout = mkdtempSync(join(tmpdir(), 'rowlock-toolchain-'));
  cpSync(SCRIPTS, join(checkout, 'scripts'), { recursive: true });
  needPnpm('99.0.0');
  program('tools/pnpm', 'echo 99.0.0');
});

afterEach(() => rmSync(checkout, { recursive: true }));

function needPnpm(version) {
  writeFileSync(join(checkout, 'package.json'), JSON.stringify({ packageManager: `pnpm@${version}` }));
}

function program(path, script) {
  const file = join(checkout, path);
  mkdirSync(join(file, '..'), { recursive: true });
  writeFileSync(file, `#!/bin/sh\n${script}\n`);
  chmodSync(file, 0o755);
}

/** What npm does in its place. */
function npm(script) {
  program('bin/npm', script);
}

function run() {
  const { npm_execpath: _, ROWLOCK_TOOLCHAIN: __, ...env } = process.env;
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [join(checkout, 'scripts/with-toolchain.mjs'), 'pnpm', '--version'],
    { env: { ...env, PATH: `${join(checkout, 'bin')}:/usr/bin:/bin` }, encoding: 'utf8' },
  );
  return { status, stdout, stderr };
}

const BRINGS = () =>
  `echo 'toolchain:${JSON.stringify({ node: process.execPath, tools: join(checkout, 'tools') })}'`;
const REFUSES = 'echo "npm error code ECONNREFUSED" >&2; exit 1';

test('what npm brought once serves without a network from then on', () => {
  npm(BRINGS());
  expect(run()).toMatchObject({ status: 0, stdout: '99.0.0\n' });
  npm(REFUSES);
  expect(run()).toEqual({ status: 0, stdout: '99.0.0\n', stderr: '' });
});

test('npm is asked again when the pnpm that is needed has changed, or what it brought is gone', () => {
  npm(BRINGS());
  run();
  npm(REFUSES);
  needPnpm('99.0.1');
  expect(run()).toMatchObject({ status: 1, stderr: expect.stringContaining('could not be fetched') });
  needPnpm('99.0.0');
  rmSync(join(checkout, 'tools'), { recursive: true });
  expect(run()).toMatchObject({ status: 1, stderr: expect.stringContaining('could not be fetched') });
});

test('what turns out not to be what was brought is not kept', () => {
  npm(BRINGS());
  run();
  program('tools/pnpm', 'echo 98.0.0');
  expect(run()).toMatchObject({ status: 1, stderr: expect.stringContaining('but not pnpm 99.0.0') });
  program('tools/pnpm', 'echo 99.0.0');
  npm(REFUSES);
  expect(run()).toMatchObject({ status: 1, stderr: expect.stringContaining('could not be fetched') });
});
