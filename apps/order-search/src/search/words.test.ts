import { expect, test } from 'vitest';
import { codeOf, wordsOf, wordsOfCode } from './words.js';

test('words have no accents, no capitals and no signs', () => {
  expect(wordsOf("Müller-Straße 5, L'Haÿ")).toEqual(['muller', 'straße', '5', 'l', 'hay']);
  expect(wordsOf(' ,- ')).toEqual([]);
});

test('a number has no signs, and is found by its beginning and its end', () => {
  expect(codeOf('OB-15/2240')).toBe('ob152240');
  expect(codeOf('+49 (171) 555-1234')).toBe('491715551234');
  expect(wordsOfCode('ob15')).toEqual(['xob15', 'z51bo']);
});
