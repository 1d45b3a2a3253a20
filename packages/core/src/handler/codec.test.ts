import { setImmediate } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { planOf } from '../schedules/schedule.js';
import { type Codec, decoded, encoded } from './codec.js';
import { defineHandler } from './handler.js';

const reversed: Codec = {
  encode: (json) => [...json].reverse().join(''),
  decode: (text) => [...text].reverse().join(''),
};
const coded = { kind: 'work', codec: reversed };

test.each([null, 1, 'text', [], { a: [{ b: null }] }, { 'rowlock.encoded': 'x' }])(
  '%j comes back',
  (json) => {
    expect(encoded(coded, json)).toEqual({ 'rowlock.encoded': reversed.encode(JSON.stringify(json)) });
    expect(decoded(coded, encoded(coded, json))).toEqual(json);
  },
);

test.each([null, 'text', { 'rowlock.encoded': 1 }, { 'rowlock.encoded': 'x', more: 1 }])(
  'what no codec has made is in clear: %j',
  (json) => {
    expect(decoded(coded, json)).toBe(json);
  },
);

test('what a codec cannot decode is an invalid payload, and so is what it decodes to no JSON', () => {
  const payload = { 'rowlock.encoded': 'no json' };
  const invalid = { code: 'ROWLOCK_INVALID_PAYLOAD' };
  for (const codec of [undefined, reversed])
    expect(() => decoded({ kind: 'work', codec }, payload)).toThrow(expect.objectContaining(invalid));
});

test('a codec that is none, or that makes no text, is refused', () => {
  const definition = Object({ kind: 'work', payload: z.any(), codec: { encode: String }, run() {} });
  expect(() => defineHandler(definition)).toThrow(/The codec of "work" must be/);
  const silent = Object({ encode() {}, decode: String });
  expect(() => encoded({ kind: 'work', codec: silent }, 1)).toThrow(/must return text, not undefined/);
  const long: Codec = { ...reversed, encode: () => 'x'.repeat(1_100_000) };
  expect(() => encoded({ kind: 'work', codec: long }, 1)).toThrow(/The encoded payload/);
});

test('a codec that answers later is refused, and its failure ends no process', async () => {
  const later = async () => {
    throw new Error('the key service is away');
  };
  const codec = Object({ encode: later, decode: later });
  expect(() => encoded({ kind: 'work', codec }, 1)).toThrow(/must return text, not a promise/);
  expect(() => decoded({ kind: 'work', codec }, { 'rowlock.encoded': 'x' })).toThrow(
    /decode must return text, not a promise/,
  );
  // Node reports a rejection that nobody handles at the end of a turn, and vitest fails then.
  await setImmediate();
});

test('the plan of a schedule has its payload in clear', async () => {
  const handler = { ...coded, payload: z.string() };
  expect((await planOf('s', { handler, payload: 'text', every: '1h' })).job.payload).toBe('text');
});
