import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { checkClientVersion } from './client-version.js';

const client = { name: 'pg', oldest: [8, 21] } as const;

/** The place of a driver beside which a client of that version is installed. */
async function driverBeside(version: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'rowlock-client-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  await mkdir(join(folder, 'node_modules/pg'), { recursive: true });
  await writeFile(join(folder, 'node_modules/pg/package.json'), JSON.stringify({ version }));
  return pathToFileURL(join(folder, 'driver.js')).href;
}

test.each(['8.21.0', '8.21.3', '8.100.0', '8.21.0-beta.1'])('%s is in the range', async (version) => {
  expect(checkClientVersion(client, await driverBeside(version))).toEqual([]);
});

test.each(['7.18.2', '8.3.0', '8.20.9'])('%s is refused, in a sentence', async (version) => {
  const from = await driverBeside(version);
  expect(() => checkClientVersion(client, from)).toThrow(
    expect.objectContaining({
      code: 'EngineUnsuitable',
      message: `Rowlock needs pg 8.21 or later, and has loaded ${version}: npm install 'pg@^8.21.0'.`,
    }),
  );
});

test('a later major version is a warning', async () => {
  expect(checkClientVersion(client, await driverBeside('9.0.0'))).toEqual([
    'Rowlock is not tested with pg 9.0.0: install one of ^8.21.0, or a later Rowlock.',
  ]);
});

test('a client whose version cannot be found, as in a bundle, passes', async () => {
  const from = await driverBeside('8.23.1');
  expect(checkClientVersion({ ...client, name: 'bundled' }, from)).toEqual([]);
});
