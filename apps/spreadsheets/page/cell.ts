import type { SpreadsheetDetails } from '../src/web/views.js';

type Cell = SpreadsheetDetails['rows'][number][number];

/** What was typed, as a number if it is one that reads the same again, also from JSON. */
export function cellOf(typed: string): Cell {
  const text = typed.trim();
  const number = Number(text);
  return Number.isFinite(number) && String(number) === text ? number : text;
}

/** A cell as people read it. */
export function textOf(cell: Cell): string {
  if (typeof cell === 'boolean') return cell ? 'yes' : 'no';
  return cell === null ? '' : String(cell);
}
