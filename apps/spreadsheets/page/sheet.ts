import type { SpreadsheetDetails } from '../src/web/views.js';
import { cellOf } from './cell.js';

type Cells = readonly (readonly string[])[];

/** How many cells the longest row has. */
export function widthOf(cells: Cells): number {
  return cells.reduce((widest, { length }) => Math.max(widest, length), 0);
}

/**
 * What was typed, as it is asked for: the first row names the columns, and rows without a text are left out.
 *
 * @throws Error that names a cell without a column.
 */
export function sheetOf([names = [], ...rows]: Cells): Pick<SpreadsheetDetails, 'columns' | 'rows'> {
  const width = lastText(names) + 1;
  const astray = rows.findIndex((row) => lastText(row) >= width);
  if (astray >= 0)
    throw new Error(`Row ${astray + 1} has a cell to the right of the last column that has a name.`);
  return {
    columns: names.slice(0, width).map((name) => name.trim()),
    rows: rows.filter((row) => lastText(row) >= 0).map((row) => row.slice(0, width).map(cellOf)),
  };
}

function lastText(row: readonly string[]): number {
  return row.findLastIndex((cell) => cell.trim() !== '');
}
