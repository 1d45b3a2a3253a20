import { expect, test } from 'vitest';
import { toDriverError } from '../src/errors.js';

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
