import { formatA1 } from './a1-range.js';
import { sheetOf } from './batch-request.js';
import type { Exchange } from './exchange.js';
import type { Shape } from './field-mask.js';
import { invalidArgument } from './google-error.js';
import { rectangle } from './grid-range.js';
import { isObject, type JsonObject, stringAt } from './json.js';
import { parseMessage } from './parse-message.js';
import { checkSize, type Located, locate, type Sheet, within } from './sheet.js';
import { selectFields } from './sheets-fields.js';
import { existingSpreadsheet } from './sheets-spreadsheet.js';
import { type ReadOptions, usedRows, valueRange } from './values-read.js';
import { inputOption, planWrite, rowsOf, type Summary } from './values-write.js';

const VALUE_RANGE: Shape = { range: true, majorDimension: true, values: true };
const UPDATE: Shape = {
  spreadsheetId: true,
  updatedRange: true,
  updatedRows: true,
  updatedColumns: true,
  updatedCells: true,
};
const BATCH_UPDATE: Shape = {
  spreadsheetId: true,
  totalUpdatedRows: true,
  totalUpdatedColumns: true,
  totalUpdatedCells: true,
  totalUpdatedSheets: true,
  responses: UPDATE,
};

/** `GET values/{range}` */
export function getValues(exchange: Exchange, id: string, range: string): unknown {
  const { sheets } = existingSpreadsheet(exchange, id);
  return selectFields(valueRange(locate(sheets, range), readOptions(exchange)), exchange, VALUE_RANGE);
}

/** `GET values:batchGet?ranges=…` */
export function batchGetValues(exchange: Exchange, id: string): unknown {
  const { sheets } = existingSpreadsheet(exchange, id);
  const valueRanges = exchange.query
    .getAll('ranges')
    .map((range) => valueRange(locate(sheets, range), readOptions(exchange)));
  const answer = { spreadsheetId: id, ...(valueRanges.length > 0 && { valueRanges }) };
  return selectFields(answer, exchange, { spreadsheetId: true, valueRanges: VALUE_RANGE });
}

/** `POST values:batchGetByDataFilter`: ranges by name, or by the sheet's id. */
export function batchGetByDataFilter(exchange: Exchange, id: string): unknown {
  const { sheets } = existingSpreadsheet(exchange, id);
  const body = parseMessage(exchange.body, 'BatchGetValuesByDataFilterRequest');
  const filters = Array.isArray(body.dataFilters) ? body.dataFilters.filter(isObject) : [];
  if (filters.length === 0) throw invalidArgument('Must specify at least one data filter.');
  const options = {
    valueRenderOption: stringAt(body, 'valueRenderOption'),
    majorDimension: stringAt(body, 'majorDimension'),
  };
  const valueRanges = filters.map((filter, index) => ({
    valueRange: valueRange(located(sheets, filter, `Invalid dataFilters[${index}]: `), options),
    dataFilters: [filter],
  }));
  const shape = { spreadsheetId: true, valueRanges: { valueRange: VALUE_RANGE, dataFilters: true } } as const;
  return selectFields({ spreadsheetId: id, valueRanges }, exchange, shape);
}

function located(sheets: Sheet[], { a1Range, gridRange }: JsonObject, at: string): Located {
  if (typeof a1Range === 'string') return prefixed(at, () => locate(sheets, a1Range));
  if (!isObject(gridRange)) throw invalidArgument(`${at}Not emulated: a filter without a range.`);
  const sheet = sheetOf({ sheets }, gridRange, at);
  const area = rectangle(sheet, gridRange, false, at);
  return within(sheet, area);
}

function readOptions({ query }: Exchange): ReadOptions {
  return {
    valueRenderOption: query.get('valueRenderOption') ?? undefined,
    majorDimension: query.get('majorDimension') ?? undefined,
  };
}

/** `PUT values/{range}` */
export function updateValues(exchange: Exchange, id: string, range: string): unknown {
  const file = existingSpreadsheet(exchange, id);
  const body = parseMessage(exchange.body, 'ValueRange', 'data');
  const written = planWrite(file, range, body, inputOption(exchange.query.get('valueInputOption')));
  written.apply();
  exchange.store.touch(file);
  return selectFields({ spreadsheetId: id, ...written.summary }, exchange, UPDATE);
}

/** `POST values:batchUpdate`: all of it or, if one range cannot be written, none. */
export function batchUpdateValues(exchange: Exchange, id: string): unknown {
  const file = existingSpreadsheet(exchange, id);
  const body = parseMessage(exchange.body, 'BatchUpdateValuesRequest');
  const how = inputOption(stringAt(body, 'valueInputOption') ?? null);
  const data = Array.isArray(body.data) ? body.data.filter(isObject) : [];
  const planned = data.map((each, index) => {
    const range = stringAt(each, 'range') ?? '';
    return prefixed(`Invalid data[${index}]: `, () => planWrite(file, range, each, how));
  });
  for (const each of planned) each.apply();
  exchange.store.touch(file);
  const total = (member: keyof Summary) =>
    planned.reduce((sum, { summary }) => sum + Number(summary[member]), 0);
  const answer = {
    spreadsheetId: id,
    totalUpdatedRows: total('updatedRows'),
    totalUpdatedColumns: total('updatedColumns'),
    totalUpdatedCells: total('updatedCells'),
    totalUpdatedSheets: new Set(planned.map((each) => each.sheetId)).size,
    responses: planned.map((each) => ({ spreadsheetId: id, ...each.summary })),
  };
  return selectFields(answer, exchange, BATCH_UPDATE);
}

/** `POST values/{range}:append`: below the last row that has a value in the columns of the range; the grid grows. */
export function appendValues(exchange: Exchange, id: string, range: string): unknown {
  const { query, store } = exchange;
  const file = existingSpreadsheet(exchange, id);
  const body = parseMessage(exchange.body, 'ValueRange', 'data');
  const how = inputOption(query.get('valueInputOption'));
  const located = locate(file.sheets, range);
  const { sheet } = located;
  const used = usedRows(located);
  const rows = rowsOf(body);
  const startRow = used === 0 ? located.range.startRow : used;
  const rowCount = Math.max(sheet.rowCount, startRow + rows.length);
  checkSize(file.sheets.map((each) => (each === sheet ? { ...sheet, rowCount } : each)));
  sheet.rowCount = rowCount;
  const { startColumn } = located.range;
  const target = { startRow, startColumn, endRow: startRow + 1, endColumn: startColumn + 1 };
  const written = planWrite(file, formatA1(sheet.title, target), { values: rows }, how);
  written.apply();
  store.touch(file);
  const table = { ...located.range, endRow: used };
  const answer = {
    spreadsheetId: id,
    ...(used > located.range.startRow && { tableRange: formatA1(sheet.title, table) }),
    updates: { spreadsheetId: id, ...written.summary },
  };
  return selectFields(answer, exchange, { spreadsheetId: true, tableRange: true, updates: UPDATE });
}

function prefixed<T>(prefix: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (error instanceof Error) error.message = prefix + error.message;
    throw error;
  }
}
