import { inspect } from 'node:util';
import { createRowlock, type Driver } from '@rowlock/core';
import { afterEach, expect, test, vi } from 'vitest';
import { mysql } from '../src/index.js';
import { serverUrl } from './server.js';

const server = new URL(serverUrl);
const drivers: Driver[] = [];
afterEach(async () => {
  await Promise.all(drivers.splice(0).map((driver) => driver.close().catch(() => {})));
});

/** All that an application can see of the failures of a driver with this URL. What the URL does not say is this server. */
async function seen(uri: string): Promise<string> {
  const failures: unknown[] = [];
  // Where the client writes what it does not like.
  const written = vi.spyOn(console, 'error').mockImplementation((...given) => failures.push(...given));
  try {
    const { hostname: host, port, username: user, password } = server;
    const here = /^mysql:\/\/.*:1\/\w+(?:\?|$)/.test(uri) ? {} : { host, port: Number(port), user, password };
    const driver = mysql({ uri, ...here });
    drivers.push(driver);
    const note = (...given: unknown[]): number => failures.push(...given);
    const rowlock = createRowlock({ driver, log: { debug() {}, info() {}, warn: note, error: note } });
    failures.push(driver, rowlock);
    for (const call of [() => rowlock.migrate(), () => rowlock.insight.stats(), () => driver.schema.verify()])
      await call().catch((error: unknown) => failures.push(error));
  } catch (error) {
    failures.push(error);
  } finally {
    written.mockRestore();
  }
  expect(failures).not.toEqual([]);
  return failures
    .map((each) => `${String(each)} ${inspect(each, { depth: 20, showHidden: true })}`)
    .join('\n');
}

test.each([
  'mysql:/ada:hunter2@127.0.0.1:1/jobs',
  'mysql:ada:hunter2@127.0.0.1:1/jobs',
  'mysql://ada:1/hunter2@127.0.0.1:1/jobs',
  'mysql://localhost:1/hunter2@127.0.0.1:1/jobs',
  'mysql://ada:1?hunter2@127.0.0.1:1/jobs',
  'mysql://ada:1?ssl-hunter2@127.0.0.1:1/jobs',
  'mysql://ada:1#hunter2@127.0.0.1:1/jobs',
  'mysql://ada:x/hunter2@127.0.0.1:1/jobs',
  'mysql://ada:%zzhunter2@127.0.0.1:1/jobs',
  'mysql://ada:hunter2@[',
  'ada:hunter2@127.0.0.1:1/jobs',
  'host=127.0.0.1 port=1 user=ada password=hunter2',
])('a URL that could be read in two ways is refused, without its text: %s', async (uri) => {
  expect(await seen(uri)).not.toContain('hunter2');
  expect(() => mysql({ uri })).toThrow(
    expect.objectContaining({
      code: 'ROWLOCK_INVALID_INPUT',
      message: expect.stringContaining('percent-encoded'),
    }),
  );
});

test.each([
  'mysql://ada:hunter2@127.0.0.1:1/jobs',
  'mysql://ada:a hunter2@127.0.0.1:1/jobs',
  'mysql://ada:a&hunter2@127.0.0.1:1/jobs',
  'mysql://ada:a@hunter2@127.0.0.1:1/jobs',
  'mysql://ada@127.0.0.1:1/jobs?password=a hunter2',
  'mysql://ada@127.0.0.1:1/jobs?password=a&hunter2=x',
  'mysql://ada@127.0.0.1:1/jobs?password=a&ssl-hunter2',
])('no error shows what else is in a URL: %s', async (uri) => {
  expect(await seen(uri)).not.toContain('hunter2');
});

test.each(['postgres', 'postgresql'])('a URL of %s is refused, with the driver for it', (protocol) => {
  expect(() => mysql({ uri: `${protocol}://ada:hunter2@127.0.0.1/jobs` })).toThrow(
    'The `uri` is of another database, whose driver is in @rowlock/driver-postgres.',
  );
});
