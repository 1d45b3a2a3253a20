import { expect, test } from 'vitest';
import { newPause, type Pausable, pauseTarget } from './pauses.js';

test.each<[Pausable, string, string]>([
  [{ queue: 'mail' }, 'queue', 'mail'],
  [{ kind: 'mail' }, 'kind', 'mail'],
  [{ limit: 'mail' }, 'limit', 'mail'],
  ['all', 'all', ''],
])('the work %o is paused by its scope and name', (work, scope, name) => {
  expect(pauseTarget(work)).toEqual({ scope, name });
  expect(newPause(work, {}, 'ann')).toEqual({ scope, name, until: null, reason: null, by: 'ann' });
});

test('a pause has the end and the reason that are given', () => {
  const until = new Date('2100-01-01');
  expect(newPause('all', { until, reason: 'down' }, 'ann')).toMatchObject({ until, reason: 'down' });
});

test.each<[unknown]>([
  [{}],
  [{ queue: 'a', kind: 'b' }],
  ['mail'],
  [null],
  [undefined],
  [{ jobs: 'a' }],
  [{ queue: 1 }],
])('%o is no work to pause', (work) => {
  // @ts-expect-error JavaScript may pass anything.
  expect(() => pauseTarget(work)).toThrow(expect.objectContaining({ name: 'InvalidInputError' }));
});

test.each([
  [{ until: new Date('never') }],
  [{ until: new Date(-1e14) }],
  [{ reason: '' }],
  [{ reason: 'x'.repeat(513) }],
])('%o is refused', (options) => {
  expect(() => newPause('all', options, 'ann')).toThrow(
    expect.objectContaining({ name: 'InvalidInputError' }),
  );
});
