import { expect, test } from 'vitest';
import { type CallOptions, txOf } from './call-options.js';

class Transaction {
  readonly #sql = 'SELECT 1';
  query = () => this.#sql;
}

class Hidden {
  readonly #sql = 'SELECT 1';
  get sql(): string {
    return this.#sql;
  }
}

/** Options that JavaScript would pass. */
const untyped = (call: unknown): CallOptions<unknown> => JSON.parse('{}', () => call);

test('the transaction is the one that is given as tx, or none', () => {
  const tx = new Transaction();
  expect(txOf({ tx })).toBe(tx);
  expect(txOf({})).toBeUndefined();
  expect(txOf(untyped({ tx: undefined }))).toBeUndefined();
  expect(txOf(untyped(Object.create(null)))).toBeUndefined();
});

test.each([
  ['a transaction itself', new Transaction()],
  ['one that shows nothing', new Hidden()],
  ['one that is no class', { query: () => {} }],
  ['a list', [new Transaction()]],
  ['null', null],
  ['text', 'tx'],
])('%s in its place is refused: the call would take place outside of it', (_, call) => {
  expect(() => txOf(untyped(call))).toThrow(/an object with the transaction, \{ tx \}/);
});
