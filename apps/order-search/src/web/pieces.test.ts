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
  expect(piecesOf('Łódź, Große Straße', termsOf('lodz grosse stras'))).toEqual([
    '',
    'Łódź',
    ', ',
    'Große',
    ' ',
    'Straße',
  ]);
  expect(piecesOf('Berg', termsOf('berg'))).toEqual(['', 'Berg']);
  expect(piecesOf('nothing here', termsOf('berg'))).toEqual(['nothing here']);
});

test('a number is found as a whole, however it was typed', () => {
  expect(piecesOf('+49 (171) 998-77665', termsOf('0171 99877665'))).toEqual(['', '+49 (171) 998-77665']);
  for (const typed of ['7665', '7199877', '171 99'])
    expect(piecesOf('+49 (171) 998-77665', termsOf(typed)).at(1), typed).toBeDefined();
  expect(piecesOf('+49 (171) 998-77665', termsOf('7199878'))).toEqual(['+49 (171) 998-77665']);
});
