import { increment } from '@rowlock/core';
import { expect, test } from 'vitest';
import * as mysql from '../src/mysql.js';
import * as postgres from '../src/postgres.js';

const refuse = () => Promise.reject(new Error('Nothing may be sent.'));
const target = { query: refuse, execute: refuse };
const right = { table: 't', column: 'j', where: { id: 1 } };
const ODD = [undefined, null, 5, true, {}, [null], Symbol('s'), [Symbol('s')], Object.create(null)];

/** JavaScript may pass anything. */
const CALLS: Readonly<Record<string, (odd: unknown) => Promise<unknown>>> = {
  'Postgres: updateJson': (odd) => postgres.updateJson(target, Object({ odd }).odd, [increment('n')]),
  'Postgres: updateJson of a table': (table) =>
    postgres.updateJson(target, Object({ ...right, table }), [increment('n')]),
  'Postgres: updateJson of a column': (column) =>
    postgres.updateJson(target, Object({ ...right, column }), [increment('n')]),
  'MySQL: updateJson': (odd) => mysql.updateJson(Object(target), Object({ odd }).odd, [increment('n')]),
  'MySQL: updateJson of a table': (table) =>
    mysql.updateJson(Object(target), Object({ ...right, table }), [increment('n')]),
  'Postgres: lockRows': (odd) => postgres.lockRows(Object(target), Object({ odd }).odd, { id: 1 }),
  'MySQL: lockRows': (odd) => mysql.lockRows(Object(target), Object({ odd }).odd, { id: 1 }),
  'Postgres: lockRows of a condition': (odd) => postgres.lockRows(Object(target), 't', Object({ odd }).odd),
  'MySQL: lockRows of a condition': (odd) => mysql.lockRows(Object(target), 't', Object({ odd }).odd),
};

test.each(Object.keys(CALLS))('%s refuses what is none in a sentence', async (name) => {
  for (const odd of ODD)
    await expect(
      Promise.resolve().then(() => CALLS[name]?.(odd)),
      String(typeof odd),
    ).rejects.toMatchObject({
      code: 'ROWLOCK_INVALID_INPUT',
    });
});

test('an unknown member of a column is refused, with the name that may be meant', async () => {
  const odd = Object({ ...right, tabel: 't' });
  for (const updateJson of [postgres.updateJson, mysql.updateJson])
    await expect(updateJson(Object(target), odd, [increment('n')])).rejects.toThrow(/Is table meant/);
});
