import { rangeName } from './a1.js';
import { sheetOf } from './batch-request.js';
import { type CellValue, render } from './cell.js';
import type { Exchange } from './exchange.js';
import { invalidArgument } from './google-error.js';
import { rectangle } from './grid-range.js';
import { isObject, type JsonObject } from './json.js';
import { parseMessage } from './parse-message.js';
import type { Sheet } from './sheet.js';
import { selectFields } from './sheets-fields.js';
import { existingSpreadsheet } from './sheets-spreadsheet.js';

const SHAPE = {
  spreadsheetId: true,
  valueRanges: { valueRange: { range: true, majorDimension: true, values: true }, dataFilters: true },
} as const;

/** `POST values:batchGetByDataFilter`: unformatted values, row by row, of ranges by the sheet's id. */
export function batchGetByDataFilter(exchange: Exchange, id: string): unknown {
  const { sheets } = existingSpreadsheet(exchange, id);
  const body = parseMessage(exchange.body, 'BatchGetValuesByDataFilterRequest');
  if (body.valueRenderOption !== 'UNFORMATTED_VALUE' || body.majorDimension !== 'ROWS')
    throw invalidArgument('Not emulated: anything but UNFORMATTED_VALUE and ROWS.');
  const filters = Array.isArray(body.dataFilters) ? body.dataFilters.filter(isObject) : [];
  if (filters.length === 0) throw invalidArgument('Must specify at least one data filter.');
  const valueRanges = filters.map((filter, index) => ({
    valueRange: valueRange(sheets, filter, `Invalid dataFilters[${index}]: `),
    dataFilters: [filter],
  }));
  return selectFields({ spreadsheetId: id, valueRanges }, exchange, SHAPE);
}

/** Empty cells at the end of a row and empty rows at the end of the range are left out, as Google leaves them out. */
function valueRange(sheets: Sheet[], { gridRange }: JsonObject, at: string): JsonObject {
  if (!isObject(gridRange)) throw invalidArgument(`${at}Not emulated: a filter without a gridRange.`);
  const sheet = sheetOf({ sheets }, gridRange, at);
  const area = rectangle(sheet, gridRange, false, at);
  const { startRow, endRow, startColumn, endColumn } = area;
  const values = Array.from(sheet.rows.slice(startRow, endRow), (row) =>
    upToLast(
      Array.from(row?.slice(startColumn, endColumn) ?? [], (cell) => render(cell, 'UNFORMATTED_VALUE')),
      (value) => value !== undefined,
    ).map((value): CellValue => value ?? ''),
  );
  const used = upToLast(values, (row) => row.length > 0);
  const range = rangeName(sheet.title, area);
  return { range, majorDimension: 'ROWS', ...(used.length > 0 && { values: used }) };
}

function upToLast<T>(list: readonly T[], counts: (element: T) => boolean): T[] {
  return list.slice(0, list.findLastIndex(counts) + 1);
}
