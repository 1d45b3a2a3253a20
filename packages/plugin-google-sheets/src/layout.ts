import { MAX_ROWS, SPARE_ROWS } from './limits.js';

const FROZEN_ROWS = 2;

/** The last row and column that can be taken back: no new sheet has data or room below or right of them. */
export const LAST = { row: FROZEN_ROWS + MAX_ROWS + SPARE_ROWS, column: 'AX' } as const;

/**
 * Where things stand in a spreadsheet. The sheet is addressed by its id, wherever people move it and whatever they call it.
 *
 *     |   A            |   B         |  …
 *   1 | status         | Send back   |        frozen
 *   2 | header         | header      |  …     frozen, bold
 *   3 | data           | data        |  …
 */
export const LAYOUT = {
  frozenRows: FROZEN_ROWS,
  sendBackText: 'Send back',
  /** The first column shows the status line in full, though the cell beside it is taken; in pixels. */
  firstColumnWidth: 380,
} as const;

/** The id of a new spreadsheet's only sheet: always 0, whatever its name. */
export const SHEET_ID = 0;

/** The note that the content was written. People neither see it nor can take it away. */
export const WRITTEN_KEY = 'rowlockContent';

// A new sheet has 1,000 rows and 26 columns; it is made larger but never smaller.
const GOOGLE_ROWS = 1000;
const GOOGLE_COLUMNS = 26;

/** How large the grid must be for so much data. */
export function gridSize(columns: number, rows: number): { rowCount: number; columnCount: number } {
  return {
    rowCount: Math.max(GOOGLE_ROWS, LAYOUT.frozenRows + rows + SPARE_ROWS),
    columnCount: Math.max(GOOGLE_COLUMNS, columns),
  };
}

/**
 * The formula of a link. `;` separates arguments in every locale, `,` only where it is not the decimal sign; a quote inside a
 * text is written twice.
 */
export function hyperlink(url: string, text: string): string {
  const quoted = [url, text].map((each) => `"${each.replaceAll('"', '""')}"`);
  return `=HYPERLINK(${quoted.join(';')})`;
}
