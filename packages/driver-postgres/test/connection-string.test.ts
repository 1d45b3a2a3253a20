import { inspect } from 'node:util';
import { createRowlock, type Driver } from '@rowlock/core';
import pg from 'pg';
import { afterEach, expect, inject, test, vi } from 'vitest';
import { postgres } from '../src/index.js';
import '@rowlock/servers/vitest';

// What a URL does not say is taken from the environment: this server.
const { hostname, port, username, password } = new URL(inject('postgresUrl'));
vi.stubEnv('PGHOST', hostname);
vi.stubEnv('PGPORT', port);
vi.stubEnv('PGUSER', decodeURIComponent(username));
vi.stubEnv('PGPASSWORD', decodeURIComponent(password));
const drivers: Driver[] = [];
afterEach(async () => {
  await Promise.all(drivers.splice(0).map((driver) => driver.close()));
});

/** All that an application can see of the failures of a driver with this URL. */
async function seen(connectionString: string, isOwnPool: boolean): Promise<string> {
  const failures: unknown[] = [];
  try {
    const driver = postgres(
      isOwnPool ? { pool: new pg.Pool({ connectionString }) } : { connectionString, sessions: 'own' },
    );
    drivers.push(driver);
    const log = { debug() {}, info() {}, warn: note, error: note };
    function note(fields: object, message: string): void {
      failures.push(fields, message);
    }
    const rowlock = createRowlock({ driver, log });
    failures.push(driver, rowlock);
    for (const call of [
      () => rowlock.migrate(),
      () => rowlock.insight.stats(),
      () => rowlock.worker().start(),
      () => driver.schema.verify(),
    ])
      await call().catch((error: unknown) => failures.push(error));
  } catch (error) {
    failures.push(error);
  }
  expect(failures).not.toEqual([]);
  return failures
    .map((each) => `${String(each)} ${inspect(each, { depth: 20, showHidden: true })}`)
    .join('\n');
}

const ODD = [
  'postgresql:/ada:hunter2@127.0.0.1:1/jobs',
  'postgresql:ada:hunter2@127.0.0.1:1/jobs',
  'postgres://ada:1/hunter2@127.0.0.1:1/jobs',
  'postgres://localhost:1/hunter2@127.0.0.1:1/jobs',
  'postgres://ada:1?hunter2@127.0.0.1:1/jobs',
  'postgres://ada:1?x=hunter2@127.0.0.1:1/jobs',
  'postgres://ada:1#hunter2@127.0.0.1:1/jobs',
  'postgres://ada:x/hunter2@127.0.0.1:1/jobs',
  'postgres://ada:hunter2@[',
  'ada:hunter2@127.0.0.1:1/jobs',
  '127.0.0.1:1/jobs?password=hunter2',
  'host=127.0.0.1 port=1 user=ada password=hunter2',
  'socket:ada:hunter2@/tmp/x?db=jobs',
];

test.each(ODD)('a URL that could be read in two ways is refused, without its text: %s', async (url) => {
  for (const isOwnPool of [true, false]) expect(await seen(url, isOwnPool)).not.toContain('hunter2');
  const refused = { code: 'ROWLOCK_INVALID_INPUT', message: expect.stringContaining('percent-encoded') };
  expect(() => postgres({ connectionString: url })).toThrow(expect.objectContaining(refused));
  expect(() => postgres({ pool: new pg.Pool({ connectionString: url }) })).toThrow(
    expect.objectContaining(refused),
  );
});

test.each([
  'postgres://ada:hunter2@127.0.0.1:1/jobs',
  'postgres://ada:a hunter2@127.0.0.1:1/jobs',
  'postgres://ada:a&hunter2@127.0.0.1:1/jobs',
  'postgres://ada:a@hunter2@127.0.0.1:1/jobs',
  'postgres://ada:%zzhunter2@127.0.0.1:1/jobs',
  'postgres://ada@127.0.0.1:1/jobs?password=a hunter2',
  'postgres://ada@127.0.0.1:1/jobs?password=a&hunter2&x=1',
  'postgres://ada@127.0.0.1:1/jobs?password=a&ssl-hunter2',
  'postgres://ada:hunter2@/jobs?host=/nowhere',
  'postgres:///jobs?host=/nowhere&password=hunter2',
  'postgres://%2Fnowhere/jobs?password=hunter2',
  '/nowhere jobs',
  'socket:/nowhere?db=jobs',
])('no error shows what else is in a URL: %s', async (url) => {
  for (const isOwnPool of [true, false]) expect(await seen(url, isOwnPool)).not.toContain('hunter2');
});

test.each(['mysql', 'mysql2', 'mariadb'])('a URL of %s is refused, with the driver for it', (protocol) => {
  expect(() => postgres({ connectionString: `${protocol}://ada:hunter2@127.0.0.1/jobs` })).toThrow(
    'The `connectionString` is of another database, whose driver is in @rowlock/driver-mysql.',
  );
});
