import { expect, test } from 'vitest';
import { toDriverError } from '../src/errors.js';
import { mysql } from '../src/index.js';

const forbidden = (option: string, product: string): Error =>
  Object.assign(
    new Error(
      `The ${product} server is running with the ${option} option so it cannot execute this statement`,
    ),
    { errno: 1290 },
  );

test.each([
  ['--read-only', 'ConnectionLost'],
  ['--super-read-only', 'ConnectionLost'],
  ['--innodb-read-only', 'ConnectionLost'],
  ['--secure-file-priv', 'Unknown'],
  ['--skip-grant-tables', 'Unknown'],
] as const)('a statement that %s forbids is %s', (option, code) => {
  for (const product of ['MySQL', 'MariaDB'])
    expect(toDriverError(forbidden(option, product))).toMatchObject({ code });
});

test('a host of several addresses that cannot be connected to says why', () => {
  const refused = (address: string) =>
    Object.assign(new Error(`connect ECONNREFUSED ${address}:3306`), { code: 'ECONNREFUSED' });
  const error = new AggregateError([refused('::1'), refused('127.0.0.1')]);
  expect(toDriverError(error)).toMatchObject({
    code: 'ConnectionLost',
    message: expect.stringContaining('connect ECONNREFUSED ::1:3306'),
    cause: error,
  });
});

test('what is asked after the driver is closed has no connection', async () => {
  const driver = mysql({ uri: 'mysql://localhost/rowlock' });
  await driver.close();
  await expect(driver.workers()).rejects.toMatchObject({ code: 'ConnectionLost' });
});
