import { expect, test } from 'vitest';
import { termsOf } from '../search/query.js';
import { piecesOf } from './pieces.js';

test('every second piece is what was found', () => {
  expect(piecesOf('Ada Berg, Müller-Straße', termsOf('berg mull'))).toEqual([
    'Ada ',
    'Berg',
    ', ',
    'Müller',
    '-Straße',
  ]);
  expect(piecesOf('Berg', termsOf('berg'))).toEqual(['', 'Berg']);
  expect(piecesOf('nothing here', termsOf('berg'))).toEqual(['nothing here']);
});

test('a number is found as a whole, however it was typed', () => {
  expect(piecesOf('+49 (171) 998-77665', termsOf('0171 99877665'))).toEqual(['', '+49 (171) 998-77665']);
  expect(piecesOf('+49 (171) 998-77665', termsOf('7665'))).toEqual(['', '+49 (171) 998-77665']);
});
