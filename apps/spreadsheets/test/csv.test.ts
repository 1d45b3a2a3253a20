import { expect, test } from 'vitest';
import { parseCsv } from '../page/csv.js';

test.each<[string, string, string[][]]>([
  [
    'commas',
    'a,b\n1,2\n',
    [
      ['a', 'b'],
      ['1', '2'],
    ],
  ],
  [
    'what was copied from a spreadsheet',
    'a\tb, c\r\n1\t2',
    [
      ['a', 'b, c'],
      ['1', '2'],
    ],
  ],
  [
    'semicolons',
    'a;b\n1,5;2',
    [
      ['a', 'b'],
      ['1,5', '2'],
    ],
  ],
  [
    'quotes, separators and line ends inside of quotes',
    '"a ""x""","b\nc"\n1,2',
    [
      ['a "x"', 'b\nc'],
      ['1', '2'],
    ],
  ],
  [
    'a byte order mark, and lines with nothing in them',
    '\uFEFFa,b\n\n,\n1,2',
    [
      ['a', 'b'],
      ['1', '2'],
    ],
  ],
  ['nothing', '', []],
])('reads %s', (_, text, rows) => {
  expect(parseCsv(text)).toEqual(rows);
});
