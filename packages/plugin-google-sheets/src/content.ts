import type { sheets_v4 } from '@googleapis/sheets';
import { SheetError } from './errors.js';
import { gridSize, hyperlink, LAST, LAYOUT, SHEET_ID, WRITTEN_KEY } from './layout.js';
import { MAX_COLUMNS } from './limits.js';

/** What a cell can hold; null is an empty cell. */
export type CellValue = string | number | boolean | null;

/** All that a spreadsheet shows at the beginning. */
export interface Content {
  readonly columns: readonly string[];
  readonly rows: readonly (readonly CellValue[])[];
  /** Where the "Send back" link leads. */
  readonly sendBackUrl: string;
  readonly statusText: string;
}

/** What was read back: rows are as wide as the header, and rows without anything in them are left out. */
export interface ReadContent {
  readonly columns: readonly string[];
  readonly rows: readonly (readonly CellValue[])[];
}

/** What was read back, with the status line as it was then. */
export interface ReadSheet extends ReadContent {
  readonly statusText: string;
}

/** The requests that make a new spreadsheet show the content, and note that they were done: Google does all of them or none. */
export function contentRequests(content: Content): sheets_v4.Schema$Request[] {
  const { columns, rows, sendBackUrl, statusText } = content;
  const gridProperties = {
    ...gridSize(columns.length, rows.length),
    frozenRowCount: LAYOUT.frozenRows,
  };
  const link = { userEnteredValue: { formulaValue: hyperlink(sendBackUrl, LAYOUT.sendBackText) }, ...BOLD };
  const lines = [
    [cell(statusText), link],
    columns.map((name) => ({ ...cell(name), ...BOLD })),
    ...rows.map((row) => row.map(cell)),
  ];
  return [
    {
      updateSheetProperties: {
        properties: { sheetId: SHEET_ID, gridProperties },
        fields: 'gridProperties(rowCount,columnCount,frozenRowCount)',
      },
    },
    {
      updateDimensionProperties: {
        range: { sheetId: SHEET_ID, dimension: 'COLUMNS', startIndex: 0, endIndex: 1 },
        properties: { pixelSize: LAYOUT.firstColumnWidth },
        fields: 'pixelSize',
      },
    },
    {
      updateCells: {
        start: { sheetId: SHEET_ID, rowIndex: 0, columnIndex: 0 },
        rows: lines.map((values) => ({ values })),
        fields: 'userEnteredValue,userEnteredFormat.textFormat.bold',
      },
    },
    {
      createDeveloperMetadata: {
        developerMetadata: {
          metadataKey: WRITTEN_KEY,
          location: { spreadsheet: true },
          visibility: 'PROJECT',
        },
      },
    },
  ];
}

/**
 * Takes apart all values of the sheet. The status line and the link tell whether they are where they were made.
 * @throws SheetError when these are not the rows that people were asked for
 */
export function readContent(values: readonly (readonly unknown[])[]): ReadSheet {
  const [[status, mark] = [], header = [], ...lines] = values;
  if (mark !== LAYOUT.sendBackText) throw new SheetError(NOT_THE_SHEET);
  if (isEmpty(header) && !lines.every(isEmpty)) throw new SheetError(NO_HEADER);
  if (values.length > LAST.row) throw new SheetError(TOO_LONG);
  if (header.length > MAX_COLUMNS) throw new SheetError(TOO_WIDE);
  const columns = header.map(String);
  const rows = lines
    .map((line) => columns.map((_, index) => cellValue(line[index])))
    .filter((row) => row.some((value) => value !== null));
  return { columns, rows, statusText: String(status ?? '') };
}

const NOT_THE_SHEET = `The sheet has no "${LAYOUT.sendBackText}" in B1: something was inserted above or left of its rows, or was written there. Undo that, and send back again.`;
/** Of a sheet that Google does not have any more. */
export const GONE =
  'The sheet with the rows was deleted. Bring it back by the version history in the menu "File", and send back again.';
const NO_HEADER = 'Row 2 names no columns, though there are rows below it. Name them, and send back again.';
/** Of an answer that was too large to be read to its end. */
export const TOO_MUCH =
  'There is more text in the sheet than can be sent back. Delete what is not needed, and send back again.';
const TOO_LONG = `There is something below row ${LAST.row}, the last one that can be sent back. Delete rows above or below it, and send back again.`;
const TOO_WIDE = `Row 2 names columns right of ${LAST.column}, the last one that can be sent back. Delete columns, and send back again.`;

const BOLD = { userEnteredFormat: { textFormat: { bold: true } } };

/**
 * The request that puts the status line where it was read, if it is still there: people may have moved it since. It finds and
 * replaces, because Google has no other write with a condition.
 */
export function statusRequest(read: string, text: string): sheets_v4.Schema$Request {
  // There must be something to find: an empty cell is found by a pattern.
  const find = read === '' ? { find: '^\\s*$', searchByRegex: true } : { find: read };
  const range = {
    sheetId: SHEET_ID,
    startRowIndex: 0,
    endRowIndex: 1,
    startColumnIndex: 0,
    endColumnIndex: 1,
  };
  return { findReplace: { ...find, replacement: text, matchCase: true, matchEntireCell: true, range } };
}

/** The type is said, so that a text that looks like a formula, a date or a number stays a text. */
function cell(value: CellValue): sheets_v4.Schema$CellData {
  if (value === null) return {};
  if (typeof value === 'number') return { userEnteredValue: { numberValue: value } };
  if (typeof value === 'boolean') return { userEnteredValue: { boolValue: value } };
  return { userEnteredValue: { stringValue: value } };
}

function isEmpty(line: readonly unknown[]): boolean {
  return line.every((value) => cellValue(value) === null);
}

function cellValue(value: unknown): CellValue {
  if (typeof value === 'boolean') return value;
  // `1e400` in JSON is Infinity, which the application's own JSON would make null.
  if (typeof value === 'number' && Number.isFinite(value)) return value;
  return value === undefined || value === null || value === '' ? null : String(value);
}
