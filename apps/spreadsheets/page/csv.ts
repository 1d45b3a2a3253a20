import Papa from 'papaparse';
import { encodingOf } from './encoding.js';
import { separatorOf } from './separator.js';
import { SEPARATORS, type Separator } from './separators.js';
import { widthOf } from './sheet.js';
import { type Chosen, MOST, type Table } from './table.js';

/** Reads separated values; quoted ones may hold separators, quotes and line ends. */
export function readCsv(source: string | ArrayBuffer, chosen: Chosen = {}): Table {
  const bytes = typeof source === 'string' ? undefined : new Uint8Array(source);
  const encoding = bytes && (chosen.encoding ?? encodingOf(bytes));
  const text =
    typeof source === 'string' ? source.replace(/^\uFEFF/, '') : new TextDecoder(encoding).decode(source);
  const { named, body } = withoutSeparatorLine(text.replace(/\r\n?/g, '\n'));
  const separator = 'separator' in chosen ? chosen.separator : (named ?? separatorOf(body));
  const { data } = Papa.parse<string[]>(body, {
    // One column has a separator that no text has.
    delimiter: separator ?? Papa.UNIT_SEP,
    newline: '\n',
    skipEmptyLines: 'greedy',
  });
  return {
    cells: data.slice(0, MOST.rows + 1).map((row) => row.slice(0, MOST.columns)),
    rows: Math.max(data.length - 1, 0),
    columns: widthOf(data),
    encoding,
    separator,
  };
}

/** Excel takes a first line `sep=;` for the name of the separator, and no part of the table. */
function withoutSeparatorLine(text: string): { named: Separator; body: string } {
  const [line = '', sign] = /^"?sep=(.)"?(?:\n|$)/i.exec(text) ?? [];
  const named = SEPARATORS.find((each) => each === sign);
  return named === undefined ? { named, body: text } : { named, body: text.slice(line.length) };
}
