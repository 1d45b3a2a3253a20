import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';

const PACKAGE = fileURLToPath(new URL('../', import.meta.url));
const NEEDED = ['commander', '@commander-js/extra-typings', '@rowlock/core'];

/** The program where only what it always needs is installed, and drivers without their clients. */
async function installed(...drivers: readonly string[]): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'rowlock-cli-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  for (const part of ['dist', 'package.json'])
    await cp(join(PACKAGE, part), join(folder, part), { recursive: true });
  for (const name of NEEDED) {
    const link = join(folder, 'node_modules', name);
    await mkdir(dirname(link), { recursive: true });
    await symlink(join(PACKAGE, 'node_modules', name), link);
  }
  for (const driver of drivers)
    for (const part of ['dist', 'package.json'])
      await cp(join(PACKAGE, '..', basename(driver), part), join(folder, 'node_modules', driver, part), {
        recursive: true,
      });
  return join(folder, 'dist/cli.js');
}

test('a driver that is not installed is one sentence, which says what to install', async () => {
  const program = await installed();
  const run = (...args: string[]) => promisify(execFile)(process.execPath, [program, ...args]);
  expect((await run('--help')).stdout).toMatch(/^Usage: rowlock/);
  const url = 'mysql://ada:hunter2@localhost/jobs';
  await expect(run('status', '--database', url)).rejects.toMatchObject({
    code: 1,
    stderr:
      'This database needs the package @rowlock/driver-mysql, which is not installed here: npm install @rowlock/driver-mysql\n',
  });
  await expect(run('sql', 'postgres')).rejects.toMatchObject({
    code: 1,
    stderr: expect.stringContaining('npm install @rowlock/driver-postgres'),
  });
});

test('a client that was not installed with its driver is one too', async () => {
  const program = await installed(
    '@rowlock/sql-drivers',
    '@rowlock/driver-postgres',
    '@rowlock/driver-mysql',
  );
  const run = (...args: string[]) => promisify(execFile)(process.execPath, [program, ...args]);
  for (const [scheme, client] of [
    ['postgres', 'pg'],
    ['mysql', 'mysql2'],
  ])
    await expect(run('status', '--database', `${scheme}://localhost/jobs`)).rejects.toMatchObject({
      code: 1,
      stderr: `This database needs the package ${client}, which is not installed here: npm install ${client}\n`,
    });
});
