import { DriverError } from '@rowlock/core';
import type { Product } from './product.js';
import { type MysqlTransaction, query } from './query.js';

type Version = readonly [number, number, number];

/**
 * The first versions that support the tables and the statements. MariaDB needs `RANDOM_BYTES`. MySQL 8.0.22 and 8.0.23 refuse to compare
 * a parameter with a column of ASCII (bug 101346). 8.0.23 to 8.0.25 offer attributes of prepared statements that do not work.
 */
const OLDEST: Readonly<Record<Product, Version>> = { MySQL: [8, 0, 26], MariaDB: [10, 10, 0] };

/** Versions of MySQL with a fault, each with the reason. */
const FAULTY: readonly (readonly [Version, string])[] = [
  [
    [8, 0, 29],
    'its recovery from a crash may damage a table whose columns were changed with ALGORITHM=INSTANT',
  ],
  [[8, 0, 38], 'it may fail to start with more than 10,000 tables, and was withdrawn'],
];

export async function versionOf(client: MysqlTransaction): Promise<string> {
  const [row] = await query<{ version: string }>(client, 'SELECT VERSION() AS version');
  return row?.version ?? '';
}

export function productIn(version: string): Product {
  return version.includes('MariaDB') ? 'MariaDB' : 'MySQL';
}

/** @returns warnings of the server's version @throws DriverError for a version that is too old */
export function checkVersion(version: string): readonly string[] {
  const product = productIn(version);
  const [found, oldest] = [version.split(/[.-]/).map(Number), OLDEST[product]];
  const place = oldest.findIndex((number, index) => found[index] !== number);
  if (place >= 0 && !(Number(found[place]) > Number(oldest[place])))
    throw new DriverError(
      'EngineUnsuitable',
      `Rowlock needs ${product} ${oldest.join('.')} or later, and this is ${version}.`,
    );
  if (product === 'MariaDB') return [];
  return FAULTY.filter(([faulty]) => faulty.every((number, index) => found[index] === number)).map(
    ([, why]) => `MySQL ${version} has a fault: ${why}. Take a later version.`,
  );
}
