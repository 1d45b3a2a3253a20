import pg from 'pg';
import { expect, test } from 'vitest';
import { postgres } from '../src/index.js';

test.each([0, -1, 1.5, Number.NaN, Number.POSITIVE_INFINITY])(
  'maxConnections: %s is refused',
  (maxConnections) => {
    expect(() => postgres({ maxConnections })).toThrow(
      expect.objectContaining({ code: 'InvalidInput', message: expect.stringContaining('maxConnections') }),
    );
  },
);

test('an answerTimeout in which no server answers is refused', () => {
  expect(() => postgres({ answerTimeout: 0 })).toThrow(
    expect.objectContaining({ code: 'InvalidInput', message: expect.stringContaining('answerTimeout') }),
  );
});

test('sessions of an unknown sort are refused', () => {
  const misspelt: object = { sessions: 'Shared' };
  expect(() => postgres(misspelt)).toThrow(
    expect.objectContaining({
      code: 'InvalidInput',
      message: expect.stringMatching(/sessions.*own.*Shared/),
    }),
  );
});

test('a pool that is given to several drivers is watched once', () => {
  const pool = new pg.Pool();
  const listeners = () => ['error', 'connect'].map((event) => pool.listenerCount(event));
  postgres({ pool });
  const once = listeners();
  for (const schema of ['a', 'b', 'c']) postgres({ pool, schema });
  expect(listeners()).toEqual(once);
});
