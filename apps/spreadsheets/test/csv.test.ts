import { describe, expect, test } from 'vitest';
import { readCsv } from '../page/csv.js';
import type { Encoding } from '../page/encoding.js';
import { isTooLarge } from '../page/table.js';

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
    'vertical bars',
    'a|b, c\n1|2',
    [
      ['a', 'b, c'],
      ['1', '2'],
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
    'separators inside of the quotes of the header',
    '"a, b";"c, d, e"\n1;2',
    [
      ['a, b', 'c, d, e'],
      ['1', '2'],
    ],
  ],
  [
    'a header of one quoted name',
    '"a;b;c",d\n1,2',
    [
      ['a;b;c', 'd'],
      ['1', '2'],
    ],
  ],
  [
    'the separator that the first line names',
    'sep=;\r\na;b,c\r\n1;2',
    [
      ['a', 'b,c'],
      ['1', '2'],
    ],
  ],
  [
    'a comma that the first line names',
    'sep=,\na,b;c\n1,2',
    [
      ['a', 'b;c'],
      ['1', '2'],
    ],
  ],
  [
    'one column with commas in its rows',
    'Names\nLovelace, Ada\nHopper, Grace',
    [['Names'], ['Lovelace, Ada'], ['Hopper, Grace']],
  ],
  ['one column with a comma in its name', 'Name, first\nAda\nGrace', [['Name, first'], ['Ada'], ['Grace']]],
  [
    'numbers with a comma where commas fit as well',
    'a,b;c\n1,5;2',
    [
      ['a,b', 'c'],
      ['1,5', '2'],
    ],
  ],
  [
    'lines that are shorter, and one that is longer',
    'a,b,c\n1\n1,2\n1,2,3,4',
    [['a', 'b', 'c'], ['1'], ['1', '2'], ['1', '2', '3', '4']],
  ],
  [
    'line ends of all kinds',
    'a,b\r1,2\r\n3,4\n5,6',
    [
      ['a', 'b'],
      ['1', '2'],
      ['3', '4'],
      ['5', '6'],
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
  ['a header alone', 'a;b', [['a', 'b']]],
  ['nothing', '', []],
])('reads %s', (_, text, cells) => {
  expect(readCsv(text).cells).toEqual(cells);
});

describe('the bytes of a file', () => {
  const TEXT = 'Größe;Stück\n10;„viel“\n';
  const bytesOf = (...parts: (string | number[])[]): ArrayBuffer =>
    Uint8Array.from(
      parts.flatMap((part) => (typeof part === 'string' ? [...new TextEncoder().encode(part)] : part)),
    ).buffer;
  /** Two bytes a sign. */
  const utf16 = (text: string, isBig: boolean) =>
    [...text].flatMap((sign) => {
      const code = sign.charCodeAt(0);
      return isBig ? [code >> 8, code & 255] : [code & 255, code >> 8];
    });
  const WESTERN: Record<string, number> = { ö: 0xf6, ß: 0xdf, ü: 0xfc, '„': 0x84, '“': 0x93 };
  const windows1252 = [...TEXT].map((sign) => WESTERN[sign] ?? sign.charCodeAt(0));

  test.each<[string, ArrayBuffer, Encoding]>([
    ['UTF-8', bytesOf(TEXT), 'utf-8'],
    ['UTF-8 with a mark', bytesOf('\uFEFF', TEXT), 'utf-8'],
    ['windows-1252', bytesOf(windows1252), 'windows-1252'],
    ['UTF-16 with a mark', bytesOf(utf16(`\uFEFF${TEXT}`, false)), 'utf-16le'],
    ['UTF-16 without a mark', bytesOf(utf16(TEXT, false)), 'utf-16le'],
    ['big-endian UTF-16 with a mark', bytesOf(utf16(`\uFEFF${TEXT}`, true)), 'utf-16be'],
    ['big-endian UTF-16 without a mark', bytesOf(utf16(TEXT, true)), 'utf-16be'],
  ])('are understood as %s', (_, bytes, encoding) => {
    expect(readCsv(bytes)).toEqual({
      cells: [
        ['Größe', 'Stück'],
        ['10', '„viel“'],
      ],
      rows: 1,
      columns: 2,
      encoding,
      separator: ';',
    });
  });

  test('are read as a person says', () => {
    const bytes = bytesOf('a;b,c\n', [0xc6, 0x3b, 0x31, 0x2c, 0x32]);
    expect(readCsv(bytes, { encoding: 'windows-1251' }).cells[1]).toEqual(['Ж', '1,2']);
    expect(readCsv(bytes, { separator: ',' }).cells).toEqual([
      ['a;b', 'c'],
      ['Æ;1', '2'],
    ]);
    expect(readCsv(bytes, { separator: undefined }).cells).toEqual([['a;b,c'], ['Æ;1,2']]);
  });
});

test('what is more than a spreadsheet takes is counted, and left out', () => {
  const line = `${Array(60).fill('x').join(',')}\n`;
  const table = readCsv(line.repeat(80_000));
  expect([table.rows, table.columns]).toEqual([79_999, 60]);
  expect([table.cells.length, table.cells[0]?.length]).toEqual([5_001, 50]);
  expect(isTooLarge(table)).toBe(true);
  expect(isTooLarge(readCsv('a,b\n1,2'))).toBe(false);
});
