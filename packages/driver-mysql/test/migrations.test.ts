import { freshMysqlDatabase } from '@rowlock/servers';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { mysql } from '../src/index.js';
import { migrations, SCHEMA_VERSION } from '../src/migrations.js';
import { serverUrl } from './server.js';

const files = vi.hoisted(() => ({ areThere: true }));

vi.mock('node:fs/promises', async (original) => {
  const real = await original<typeof import('node:fs/promises')>();
  return {
    ...real,
    readdir(folder: URL) {
      return real.readdir(files.areThere ? folder : new URL('none/', folder));
    },
  };
});

let url: string;
let drop: () => Promise<void>;

beforeEach(async () => {
  files.areThere = true;
  ({ url, drop } = await freshMysqlDatabase(serverUrl));
});

afterEach(() => drop());

test('the version that the driver needs is that of the newest file, and they are counted from 1', async () => {
  const versions = (await migrations()).map(({ version }) => version);
  expect(versions).toEqual(Array.from({ length: SCHEMA_VERSION }, (_, n) => n + 1));
});

test('a bundled application, without the files, works on tables that are there, and says what to do where they are not', async () => {
  const driver = mysql({ uri: url });
  try {
    files.areThere = false;
    await expect(driver.migrate()).rejects.toMatchObject({
      code: 'SchemaOutdated',
      message: expect.stringMatching(/bundle.*npx rowlock-mysql migrate/),
    });
    files.areThere = true;
    await driver.migrate();
    files.areThere = false;
    await driver.verify();
    expect(await driver.migrate()).toMatchObject({ from: SCHEMA_VERSION, to: SCHEMA_VERSION, applied: [] });
  } finally {
    await driver.close();
  }
});
