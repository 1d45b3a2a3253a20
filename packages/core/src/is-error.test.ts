import { expect, test } from 'vitest';
import { causesOf } from './is-error.js';

test('the causes of an error come after it, from the outside in', () => {
  const root = new Error('root');
  const outer = new Error('outer', { cause: new Error('middle', { cause: root }) });
  expect(causesOf(outer).map(({ message }) => message)).toEqual(['outer', 'middle', 'root']);
  expect(causesOf('no error')).toEqual([]);
});

test('a circle of causes ends', () => {
  const error = new Error('again');
  error.cause = error;
  expect(causesOf(error)).toHaveLength(8);
});
