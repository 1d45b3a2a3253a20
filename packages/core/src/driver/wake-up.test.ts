import { expect, test } from 'vitest';
import { concerns, wakeUpOf } from './wake-up.js';

test.each([
  [{}, true],
  [{ queue: 'a' }, true],
  [{ queue: 'b' }, false],
  [{ queue: 'a', told: ['2'] }, true],
  [{ queue: 'a', told: ['2', '1'] }, false],
  [{ cancel: 'id' }, true],
])('%j concerns worker 1, which serves a: %s', (wakeUp, expected) => {
  expect(concerns(wakeUp, ['a'], '1')).toBe(expected);
});

test.each([
  [
    { queue: 'a', cancel: 'id', told: ['1'] },
    { queue: 'a', cancel: 'id', told: ['1'] },
  ],
  [
    { cancel: 'id', redrives: 1 },
    { cancel: 'id', redrives: 1 },
  ],
  [{ queue: 1, cancel: null, redrives: '1', told: 'all', more: true }, {}],
  [{ told: ['1', 2, null, { toString: 1, valueOf: 1 }] }, { told: ['1'] }],
  ['nonsense', {}],
  [null, {}],
])('%j is heard as %j', (sent, heard) => {
  expect(wakeUpOf(sent)).toEqual(heard);
});
