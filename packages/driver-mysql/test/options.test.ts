import { randomUUID } from 'node:crypto';
import { inspect } from 'node:util';
import { freshMysqlDatabase } from '@rowlock/servers';
import type { ConnectionOptions } from 'mysql2/promise';
import * as mysql2 from 'mysql2/promise';
import { createConnection } from 'mysql2/promise';
import { afterAll, expect, test, vi } from 'vitest';
import { type MysqlOptions, mysql } from '../src/index.js';
import { SCHEMA_VERSION } from '../src/schema/migrations.js';
import { serverUrl } from './server.js';

// The files of a project share what they import: this one imports anew, and so does the next.
vi.hoisted(() => vi.resetModules());
vi.mock('mysql2/promise', async (original) => {
  const real = await original<typeof import('mysql2/promise')>();
  return { ...real, createPool: vi.fn(real.createPool) };
});
afterAll(() => {
  vi.doUnmock('mysql2/promise');
  vi.resetModules();
});

const uri = 'mysql://localhost/rowlock';

/** What the driver opens its pools with. */
async function opened(options: Partial<MysqlOptions>): Promise<readonly ConnectionOptions[]> {
  const create = vi.mocked(mysql2.createPool).mockClear();
  await mysql({ uri, ...options }).close();
  return create.mock.calls.map(([given]) => (typeof given === 'string' ? {} : given));
}

test('how to connect can be said, and has defaults', async () => {
  for (const given of await opened({
    connectTimeout: 1_000,
    enableKeepAlive: false,
    keepAliveInitialDelay: 500,
    maxPreparedStatements: 50,
  }))
    expect(given).toMatchObject({
      connectTimeout: 1_000,
      enableKeepAlive: false,
      keepAliveInitialDelay: 500,
      maxPreparedStatements: 50,
      charset: 'utf8mb4',
    });
  const plain = await opened({});
  expect(plain.length).toBeGreaterThan(0);
  for (const given of plain)
    expect(given).toMatchObject({
      connectTimeout: 10_000,
      enableKeepAlive: true,
      keepAliveInitialDelay: 10_000,
      maxPreparedStatements: 500,
    });
});

test.each([
  ['charset', 'latin1'],
  ['charsetNumber', 8],
  ['timezone', 'local'],
  ['flags', ['-FOUND_ROWS']],
  ['rowsAsArray', true],
  ['nestTables', true],
  ['typeCast', false],
  ['connectionLimit', 5],
  ['maxIdle', 1],
  ['idleTimeout', 1],
  ['resetOnRelease', true],
])('%s is refused, and nothing else is done', (name, value) => {
  const given = { uri, [name]: value };
  expect(() => mysql(given)).toThrow(
    expect.objectContaining({ code: 'ROWLOCK_INVALID_INPUT', message: expect.stringContaining(`'${name}'`) }),
  );
  expect(() => mysql({ uri, [name]: undefined })).not.toThrow();
});

test.each([
  'mysql://app:pa#ss-word@localhost/rowlock',
  'mysql://app:pa%ss-word@localhost/rowlock',
  'mysql://app:pa/ss-word@localhost/rowlock',
  '//app:pass-word@localhost/rowlock',
])('a uri that cannot be read is refused, and its password is not told: %s', (bad) => {
  for (const database of [undefined, 'rowlock']) {
    const error = refusalOf({ uri: bad, ...(database && { database }) });
    expect(error).toMatchObject({
      code: 'ROWLOCK_INVALID_INPUT',
      message: expect.stringContaining('percent-encoded'),
    });
    expect(inspect(error, { depth: 10, showHidden: true })).not.toMatch(/ss-word/);
  }
});

test('numbers that come as text are numbers all the same', async () => {
  const fresh = await freshMysqlDatabase(serverUrl);
  const driver = mysql({ uri: fresh.url, supportBigNumbers: true, bigNumberStrings: true });
  const plain = await createConnection(fresh.url);
  try {
    expect(await driver.schema.migrate()).toMatchObject({ from: 0, to: SCHEMA_VERSION });
    expect(await driver.schema.migrate()).toMatchObject({ from: SCHEMA_VERSION, to: SCHEMA_VERSION });
    await driver.schema.verify();
    const anchor = await driver.workers.anchor({ name: 'w', host: 'h', pid: 1, queues: ['q'] });
    expect(await driver.workers.list()).toMatchObject([{ id: anchor.workerId, alive: true }]);
    // A lease that is over, of a worker that lives, and one of a worker that does not.
    await plain.query("INSERT INTO rowlock_job (queue, kind) VALUES ('q', 'k'), ('q', 'k')");
    const [over, lapsed] = [randomUUID(), randomUUID()];
    await plain.query(
      `UPDATE rowlock_job SET status = 'in-progress', process_id = IF(id = 1, ?, ?),
         leased_until = UTC_TIMESTAMP(6) + INTERVAL IF(id = 1, -1, 60) SECOND`,
      [over, lapsed],
    );
    await plain.query(
      'INSERT INTO rowlock_run (job_id, process_id, worker_id) VALUES (1, ?, ?), (2, ?, 999)',
      [over, anchor.workerId, lapsed],
    );
    const reclaimed = await driver.claims.reclaim({ queues: ['q'], dead: [] });
    expect(reclaimed).toEqual({ reclaimed: 1, missing: ['999'], own: [], refused: [] });
    await anchor.release();
  } finally {
    await plain.end();
    await driver.close();
    await fresh.drop();
  }
});

test('in the query of a uri nothing is looked at that the driver needs as it is, nor how to connect', async () => {
  const fresh = await freshMysqlDatabase(serverUrl);
  const query =
    'typeCast=false&rowsAsArray=true&nestTables=_&charset=latin1&timezone=local&flags=-FOUND_ROWS&resetOnRelease=true';
  const connecting = 'connectTimeout=1&enableKeepAlive=true&keepAliveInitialDelay=1&maxPreparedStatements=1';
  const uri = `${fresh.url}?${query}&${connecting}&connectionLimit=1&compress=true`;
  const create = vi.mocked(mysql2.createPool).mockClear();
  const driver = mysql({ uri, enableKeepAlive: false, keepAliveInitialDelay: 0 });
  try {
    const [made] = create.mock.results;
    expect(Object(made?.value).pool.config.connectionConfig).toMatchObject({
      rowsAsArray: false,
      nestTables: undefined,
      typeCast: true,
      timezone: 'Z',
      connectTimeout: 10_000,
      enableKeepAlive: false,
      keepAliveInitialDelay: 0,
      maxPreparedStatements: 500,
      compress: true,
    });
    await driver.schema.migrate();
    await driver.schema.verify();
  } finally {
    await driver.close();
    await fresh.drop();
  }
});

const REQUIRED = { rejectUnauthorized: false };

test.each([
  ['', undefined],
  ['?ssl-mode=DISABLED', undefined],
  ['?ssl-mode=REQUIRED', REQUIRED],
  ['?sslMode=required', REQUIRED],
  ['?ssl-mode=VERIFY_CA', { rejectUnauthorized: true }],
  ['?ssl_mode=VERIFY_IDENTITY', { rejectUnauthorized: true, verifyIdentity: true }],
])('a uri with %s connects as it says', async (query, ssl) => {
  for (const given of await opened({ uri: `${uri}${query}` })) {
    expect(given.ssl).toEqual(ssl);
    expect(given.uri).toBe(uri);
  }
  // Whoever passes it has said more.
  for (const given of await opened({ uri: `${uri}${query}`, ssl: { ca: 'own' } }))
    expect(given.ssl).toMatchObject({ ca: 'own', rejectUnauthorized: true });
});

test.each([
  ['ssl-mode', 'PREFERRED'],
  ['sslmode', 'require'],
  ['useSSL', 'true'],
  ['sslpassword', 'pass-word'],
  ['tls', 'true'],
])('a uri with ?%s=%s is refused: the client would connect without TLS', (name, value) => {
  const error = refusalOf({ uri: `${uri}?${name}=${value}` });
  expect(error).toMatchObject({
    code: 'ROWLOCK_INVALID_INPUT',
    message: expect.stringContaining(`'${name}'`),
  });
  expect(String(error)).not.toContain(value);
});

test.each(['true', '1', 'hunter2', '{"key":"hunter2"'])(
  'an ssl that mysql2 cannot use is refused, without its value: %s',
  (value) => {
    const asOption: object = { uri, ssl: JSON.parse(value === 'true' ? value : JSON.stringify(value)) };
    for (const given of [{ uri: `${uri}?ssl=${encodeURIComponent(value)}` }, asOption]) {
      const error = refusalOf(given);
      expect(error).toMatchObject({
        code: 'ROWLOCK_INVALID_INPUT',
        message: expect.stringMatching(/^`ssl` is not understood/),
      });
      expect(String(error)).not.toContain('hunter2');
    }
  },
);

test.each([
  ['answerTimeout', 0],
  ['maxConnections', 0],
  ['maxConnections', -1],
  ['maxConnections', 1.5],
  ['maxConnections', Number.NaN],
  ['sessions', 'Shared'],
  ['sessions', ''],
  ['severalWriters', true],
])('%s: %j is refused', (name, value) => {
  const given = { uri, [name]: value };
  expect(refusalOf(given)).toMatchObject({
    code: 'ROWLOCK_INVALID_INPUT',
    message: expect.stringContaining(name),
  });
});

function refusalOf(options: MysqlOptions): unknown {
  try {
    mysql(options);
  } catch (error) {
    return error;
  }
  throw new Error('The options were taken.');
}

test('an answerTimeout that no timer can wait for is refused', async () => {
  expect(() => mysql({ uri, answerTimeout: '25h' })).toThrow(
    expect.objectContaining({
      code: 'ROWLOCK_INVALID_INPUT',
      message: expect.stringContaining("'answerTimeout'"),
    }),
  );
  await mysql({ uri, answerTimeout: '24h' }).close();
});

test('an unknown option is refused, with the name that may be meant', () => {
  const odd: object = { answerTimeOut: 1 };
  expect(() => mysql({ ...{ uri }, ...odd })).toThrow(
    expect.objectContaining({
      code: 'ROWLOCK_INVALID_INPUT',
      message: expect.stringMatching(/^mysql\(\) has no "answerTimeOut".*answerTimeout meant/),
    }),
  );
});

test.each([['maxConnections'], ['answerTimeout'], ['sessions']])(
  '%s that is anything else is refused in a sentence',
  (name) => {
    for (const value of [Symbol('s'), Object.create(null), [Symbol('s')], 5n, {}])
      expect(() => mysql({ ...{ uri }, [name]: value })).toThrow(
        expect.objectContaining({
          code: 'ROWLOCK_INVALID_INPUT',
          message: expect.stringContaining(name),
        }),
      );
  },
);

test.each([null, undefined, 5, 'x', Symbol('s'), []])('options that are none are refused: %o', (options) => {
  expect(() => mysql(Object(Object({ options })).options)).toThrow(
    expect.objectContaining({ code: 'ROWLOCK_INVALID_INPUT' }),
  );
});
