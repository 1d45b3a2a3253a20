import { expect, test } from 'vitest';
import { concerns, merged, wakeUpOf } from './wake-up.js';

test.each([
  [{}, true],
  [{ queue: 'a' }, true],
  [{ queue: 'b' }, false],
  [{ queue: 'a', except: ['2'] }, true],
  [{ queue: 'a', except: ['2', '1'] }, false],
  [{ cancel: 'id' }, true],
])('%j concerns worker 1, which serves a: %s', (wakeUp, expected) => {
  expect(concerns(wakeUp, ['a'], '1')).toBe(expected);
});

test.each([
  [
    { queue: 'a', except: ['1'] },
    { queue: 'a', except: ['1'] },
  ],
  [{ queue: 'b', cancel: 'id', except: ['1'] }, { cancel: 'id' }],
  [
    { cancel: 'id', redrives: 1 },
    { cancel: 'id', redrives: 1 },
  ],
  [{ limit: 'a' }, { limit: 'a' }],
  [{ schedule: 'a' }, { schedule: 'a' }],
  [{ after: 'id' }, { after: 'id' }],
  [{ watch: 'id' }, {}],
  [{ queue: 1, cancel: null, redrives: '1', limit: 1, except: 'all', more: true }, {}],
  [{ except: ['1', 2, null, { toString: 1, valueOf: 1 }] }, { except: ['1'] }],
  ['nonsense', {}],
  [null, {}],
])('%j is heard as %j', (sent, heard) => {
  expect(wakeUpOf(sent)).toEqual(heard);
});

test('hints to look become one, and what says more is kept', () => {
  const received = [{ queue: 'a' }, { limit: 'l' }, { queue: 'b' }, { schedule: 's' }, { cancel: 'id' }, {}];
  expect(merged(received)).toEqual([{ limit: 'l' }, { schedule: 's' }, { cancel: 'id' }, { queue: 'a' }]);
  expect(merged([{ limit: 'r' }])).toEqual([{ limit: 'r' }]);
  expect(merged([])).toEqual([]);
});

test('where nothing but a poll is due there is a poll, and a hint stands for it', () => {
  expect(merged([], true)).toEqual([{ poll: true }]);
  expect(merged([{ limit: 'l' }], true)).toEqual([{ limit: 'l' }, { poll: true }]);
  expect(merged([{ queue: 'a' }], true)).toEqual([{ queue: 'a' }]);
});
