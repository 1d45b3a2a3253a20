import { expect, test } from 'vitest';
import { InvalidPayloadError } from '../errors.js';
import { jobError } from './job-error.js';

test('an error keeps its code, or its name', () => {
  expect(jobError(Object.assign(new Error('full'), { code: 'ENOSPC' }))).toEqual({
    code: 'ENOSPC',
    message: 'full',
  });
  expect(jobError(new TypeError('x is not y'))).toEqual({ code: 'TypeError', message: 'x is not y' });
});

test('an invalid payload says what is wrong where', () => {
  const error = new InvalidPayloadError('k', [{ path: ['rows', 0], message: 'Expected text' }]);
  expect(jobError(error)).toMatchObject({
    code: 'ROWLOCK_INVALID_PAYLOAD',
    details: [{ path: ['rows', 0], message: 'Expected text' }],
  });
});

test.each([[undefined], [null], [{ a: 1 }], [7n], ['text']])(
  'whatever is thrown has a message: %s',
  (thrown) => {
    expect(jobError(thrown).message).toEqual(expect.any(String));
  },
);

test('a message is cut, and holds nothing that a database refuses', () => {
  expect(jobError('x'.repeat(10_000)).message).toHaveLength(4_000);
  expect(jobError('a\0b\ud800c').message).toBe('a\uFFFDb\uFFFDc');
});
