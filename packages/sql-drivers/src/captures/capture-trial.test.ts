import { DriverError, defineCapture } from '@rowlock/core';
import { expect, test } from 'vitest';
import { tryCapture, tryValues } from './capture-trial.js';

const { plan } = defineCapture({ name: 'orders', table: 'shop.orders', id: ['id'], kind: 'k' });
const parts = ['when.status', 'payload.note'].map((option) => ({ option, sql: option }));

/** Runs queries of which some fail. */
function refusing(errors: Readonly<Record<string, Error>>) {
  const seen: string[] = [];
  const run = async (sql: string): Promise<void> => {
    seen.push(sql);
    if (errors[sql] !== undefined) throw errors[sql];
  };
  return { seen, run };
}

const refused = (reason: string): DriverError =>
  new DriverError('SchemaOutdated', 'Run rowlock.migrate().', { cause: new Error(reason) });

test('what the server computes is tried in one query', async () => {
  const { seen, run } = refusing({});
  await tryCapture(plan, 'all', parts, run);
  expect(seen).toEqual(['all']);
});

test('the part that fails is named, with the reason of the server alone', async () => {
  const { run } = refusing({ all: refused('too much'), 'payload.note': refused('no such function') });
  await expect(tryCapture(plan, 'all', parts, run)).rejects.toMatchObject({
    code: 'ROWLOCK_INVALID_INPUT',
    message:
      'The capture "orders": the table shop.orders cannot be captured with payload.note, because each write would fail: no such function. Change the option, or the column.',
  });
});

test('what fails as a whole alone is refused too', async () => {
  const { run } = refusing({ all: refused('too many arguments') });
  await expect(tryCapture(plan, 'all', parts, run)).rejects.toThrow(
    /with these options, .*too many arguments/,
  );
});

test('an error that is not about the query is no refusal', async () => {
  const lost = new DriverError('ConnectionLost', 'The server is gone.');
  await expect(tryCapture(plan, 'all', parts, refusing({ all: lost }).run)).rejects.toBe(lost);
});

test('of many values the one that the column would cut is named', async () => {
  const tried: unknown[] = [];
  const keep = async (values: readonly unknown[]): Promise<void> => {
    tried.push(values);
    if (values.includes('longer')) throw new DriverError('InvalidInput', 'It would be cut.');
  };
  const condition = { column: 'status', values: ['a', 'longer', 5n], orNull: false };
  await expect(tryValues(plan, condition, keep)).rejects.toThrow(
    'cannot be captured with when.status, as the column never has "longer".',
  );
  await tryValues(plan, { ...condition, values: ['a', 5n] }, keep);
  await tryValues(plan, { ...condition, values: [] }, keep);
  expect(tried).toEqual([['a', 'longer', 5n], ['a'], ['longer'], ['a', 5n]]);
});
