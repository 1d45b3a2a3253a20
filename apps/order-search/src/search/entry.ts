import type { SourceRow } from './sources.js';
import { wordsOf, wordsOfCode } from './words.js';

/** What is searched, and shown of a result: one line for each row that says something of the order. */
export interface Entry {
  readonly orderNo: number;
  readonly lines: readonly Line[];
  /** All words, each once, with blanks between them: for the database's text search. */
  readonly words: string;
}

export interface Line {
  readonly source: string;
  readonly text: string;
}

/** The entries of some orders, in the order of their numbers. An order without rows has none. */
export function entriesOf(rows: readonly SourceRow[]): readonly Entry[] {
  const byOrder = Map.groupBy(rows, ({ orderNo }) => orderNo);
  return [...byOrder]
    .sort(([a], [b]) => a - b)
    .filter(([, ofOrder]) => ofOrder.some(({ source }) => source === 'order'))
    .map(([orderNo, ofOrder]) => entryOf(orderNo, ofOrder));
}

function entryOf(orderNo: number, rows: readonly SourceRow[]): Entry {
  const lines = new Map<string, Line>();
  const words = new Set(wordsOfCode(String(orderNo)));
  for (const { source, text, code } of rows) {
    const line = { source, text: [text, code].filter(Boolean).join(' ') };
    const id = `${source} ${line.text}`;
    // An item that an order has twice says nothing new.
    if (line.text === '' || lines.has(id)) continue;
    lines.set(id, line);
    for (const word of [...wordsOf(text), ...(code ? wordsOfCode(code) : [])]) words.add(word);
  }
  const sorted = [...lines].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, line]) => line);
  return { orderNo, lines: sorted, words: [...words].join(' ') };
}
