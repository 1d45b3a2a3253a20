import type { Cell } from './cell.js';
import { invalidArgument } from './google-error.js';

/** One tab of a spreadsheet. */
export interface Sheet {
  readonly sheetId: number;
  title: string;
  rowCount: number;
  columnCount: number;
  frozenRowCount: number;
  /** Sparse: `rows[row]?.[column]`, null or missing where nothing is. */
  readonly rows: ((Cell | null)[] | null)[];
}

/** Google's size of a new sheet. */
export const NEW_SHEET = { rowCount: 1000, columnCount: 26 };

export function newSheet(sheetId: number, title: string, size = NEW_SHEET): Sheet {
  return { sheetId, title, ...size, frozenRowCount: 0, rows: [] };
}

/** Google's limits. Source: https://support.google.com/drive/answer/37603 */
const MOST = { cells: 10_000_000, columns: 18_278 };

/** @throws GoogleError 400 when a spreadsheet has become larger than it can be */
export function checkSize(sheets: readonly Sheet[], at = ''): void {
  const cells = sheets.reduce((sum, { rowCount, columnCount }) => sum + rowCount * columnCount, 0);
  if (sheets.some(({ columnCount }) => columnCount > MOST.columns)) {
    throw invalidArgument(
      `${at}This action would increase the number of columns in the worksheet above the limit of ${MOST.columns} columns.`,
    );
  }
  if (cells > MOST.cells) {
    throw invalidArgument(
      `${at}This action would increase the number of cells in the workbook above the limit of ${MOST.cells} cells.`,
    );
  }
}

export function cellAt(sheet: Sheet, row: number, column: number): Cell | undefined {
  return sheet.rows[row]?.[column] ?? undefined;
}

export function setCell(sheet: Sheet, row: number, column: number, cell: Cell | undefined): void {
  const cells = sheet.rows[row] ?? [];
  cells[column] = cell ?? null;
  sheet.rows[row] = cells;
}
