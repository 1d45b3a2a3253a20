import type { A1Range, GridRange } from './a1-range.js';
import { formatA1, parseA1 } from './a1-range.js';
import type { Cell } from './cell.js';
import { invalidArgument } from './google-error.js';

/** One tab of a spreadsheet. */
export interface Sheet {
  readonly sheetId: number;
  title: string;
  rowCount: number;
  columnCount: number;
  frozenRowCount: number;
  frozenColumnCount: number;
  /** Missing in a sheet that people see. */
  hidden?: boolean;
  /** Sparse: `rows[row]?.[column]`, null or missing where nothing is. */
  readonly rows: ((Cell | null)[] | null)[];
}

/** Google's size of a new sheet. */
export const NEW_SHEET = { rowCount: 1000, columnCount: 26 };

export function newSheet(sheetId: number, title: string, size = NEW_SHEET): Sheet {
  return { sheetId, title, ...size, frozenRowCount: 0, frozenColumnCount: 0, rows: [] };
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

/** The sheet that is meant where none is named: the first of those that people see. */
export function firstSheet(sheets: readonly Sheet[]): Sheet | undefined {
  return sheets.find(({ hidden }) => !hidden);
}

export function cellAt(sheet: Sheet, row: number, column: number): Cell | undefined {
  return sheet.rows[row]?.[column] ?? undefined;
}

export function setCell(sheet: Sheet, row: number, column: number, cell: Cell | undefined): void {
  const cells = sheet.rows[row] ?? [];
  cells[column] = cell ?? null;
  sheet.rows[row] = cells;
}

/** A range that lies within its sheet, with every bound known. */
export interface Located {
  readonly sheet: Sheet;
  readonly range: Required<GridRange>;
  readonly a1: string;
}

/**
 * Finds the sheet and the cells that A1 notation names. Without a sheet's name it is the first visible sheet.
 * For reading, the end is cut to the grid; a start beyond the grid is refused as Google refuses it.
 * @throws GoogleError 400 for an unknown sheet, a text that is no range, or cells beyond the grid
 */
export function locate(sheets: readonly Sheet[], text: string): Located {
  const parsed = parseA1(text, (name) => sheets.some((sheet) => sheet.title === name));
  return within(namedSheet(sheets, parsed, text), parsed.cells);
}

/**
 * Cells of a sheet, by default all of them, cut to its grid.
 * @throws GoogleError 400 when they begin beyond the grid
 */
export function within(sheet: Sheet, cells: GridRange = { startRow: 0, startColumn: 0 }): Located {
  const { startRow, startColumn, endRow, endColumn } = cells;
  const asked = {
    startRow,
    startColumn,
    endRow: endRow ?? Math.max(sheet.rowCount, startRow + 1),
    endColumn: endColumn ?? Math.max(sheet.columnCount, startColumn + 1),
  };
  if (startRow >= sheet.rowCount || startColumn >= sheet.columnCount) throw beyondGrid(sheet, asked);
  const range = {
    startRow,
    startColumn,
    endRow: Math.min(asked.endRow, sheet.rowCount),
    endColumn: Math.min(asked.endColumn, sheet.columnCount),
  };
  return { sheet, range, a1: formatA1(sheet.title, range) };
}

/** 400 for cells that the sheet does not have. */
export function beyondGrid(sheet: Sheet, range: Required<GridRange>): Error {
  const limits = `Max rows: ${sheet.rowCount}, max columns: ${sheet.columnCount}`;
  return invalidArgument(`Range (${formatA1(sheet.title, range)}) exceeds grid limits. ${limits}`);
}

function namedSheet(sheets: readonly Sheet[], parsed: A1Range, text: string): Sheet {
  // Google compares sheet names without regard to case.
  const wanted = parsed.sheet?.toLowerCase();
  const sheet =
    wanted === undefined ? firstSheet(sheets) : sheets.find((each) => each.title.toLowerCase() === wanted);
  if (!sheet) throw invalidArgument(`Unable to parse range: ${text}`);
  return sheet;
}
