import type { SpreadsheetDetails } from '../src/web/views.js';

type Cell = SpreadsheetDetails['rows'][number][number];

/** What was typed, as a number if it is one that reads the same again. */
export function cellOf(typed: string): Cell {
  const text = typed.trim();
  return text !== '' && String(Number(text)) === text ? Number(text) : text;
}

/** A cell as people read it. */
export function textOf(cell: Cell): string {
  if (typeof cell === 'boolean') return cell ? 'yes' : 'no';
  return cell === null ? '' : String(cell);
}
