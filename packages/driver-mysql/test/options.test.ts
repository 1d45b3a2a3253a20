import { inspect } from 'node:util';
import type { ConnectionOptions } from 'mysql2/promise';
import * as mysql2 from 'mysql2/promise';
import { expect, test, vi } from 'vitest';
import { type MysqlOptions, mysql } from '../src/index.js';

vi.mock('mysql2/promise', { spy: true });

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
  }))
    expect(given).toMatchObject({
      connectTimeout: 1_000,
      enableKeepAlive: false,
      keepAliveInitialDelay: 500,
      charset: 'utf8mb4',
    });
  const plain = await opened({});
  expect(plain.length).toBeGreaterThan(0);
  for (const given of plain)
    expect(given).toMatchObject({
      connectTimeout: 10_000,
      enableKeepAlive: true,
      keepAliveInitialDelay: 10_000,
    });
});

test.each([
  ['charset', 'latin1'],
  ['charsetNumber', 8],
  ['timezone', 'local'],
  ['flags', ['-FOUND_ROWS']],
  ['rowsAsArray', true],
  ['nestTables', true],
  ['connectionLimit', 5],
  ['maxIdle', 1],
  ['idleTimeout', 1],
])('%s is refused, and nothing else is done', (name, value) => {
  const given = { uri, [name]: value };
  expect(() => mysql(given)).toThrow(
    expect.objectContaining({ code: 'InvalidInput', message: expect.stringContaining(`'${name}'`) }),
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
      code: 'InvalidInput',
      message: expect.stringContaining('percent-encoded'),
    });
    expect(inspect(error, { depth: 10, showHidden: true })).not.toMatch(/ss-word/);
  }
});

function refusalOf(options: MysqlOptions): unknown {
  try {
    mysql(options);
  } catch (error) {
    return error;
  }
  throw new Error('The options were taken.');
}
