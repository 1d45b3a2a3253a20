import { expect, test } from 'vitest';
import { cellOf } from '../page/cell.js';
import { sheetOf, widthOf } from '../page/sheet.js';

test.each<[string, string | number]>([
  ['8', 8],
  [' -1.5 ', -1.5],
  ['007', '007'],
  ['1,5', '1,5'],
  ['', ''],
  // Numbers to JavaScript, but not to JSON.
  ['NaN', 'NaN'],
  ['Infinity', 'Infinity'],
  ['-Infinity', '-Infinity'],
])('%o is typed for %o', (typed, cell) => {
  expect(cellOf(typed)).toBe(cell);
});

test('the first row names the columns, and lines with nothing in them are left out', () => {
  const cells = [
    [' Item ', 'Pieces', ''],
    ['Oars', '8', ' '],
    ['', ' ', ''],
    ['Rowlocks', '', ''],
  ];
  expect(sheetOf(cells)).toEqual({
    columns: ['Item', 'Pieces'],
    rows: [
      ['Oars', 8],
      ['Rowlocks', ''],
    ],
  });
});

test('a cell of a column without a name is not left out without a word', () => {
  const cells = [
    ['Item', ''],
    ['Oars', ''],
    ['Rowlocks', '8'],
  ];
  expect(() => sheetOf(cells)).toThrow('Row 2 has a cell to the right of the last column that has a name.');
});

test('a file may have more rows than a function can have arguments', () => {
  expect(widthOf([...Array.from({ length: 300_000 }, () => ['a']), ['a', 'b']])).toBe(2);
});
