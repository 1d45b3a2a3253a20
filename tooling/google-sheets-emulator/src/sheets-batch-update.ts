import { updateCells } from './batch-cells.js';
import { type Draft, paths, type Request, sheetOf } from './batch-request.js';
import { createDeveloperMetadata } from './developer-metadata.js';
import type { Exchange } from './exchange.js';
import { findReplace } from './find-replace.js';
import { invalidArgument } from './google-error.js';
import { indexAt, isObject, type JsonObject } from './json.js';
import { parseMessage } from './parse-message.js';
import { checkSize, type Sheet } from './sheet.js';
import { selectFields } from './sheets-fields.js';
import { existingSpreadsheet, sheetFrom, sheetProperties } from './sheets-spreadsheet.js';

/** The kinds of request that are emulated. */
const REQUESTS: Readonly<Record<string, Request>> = {
  updateSheetProperties,
  addSheet,
  deleteSheet,
  updateCells,
  createDeveloperMetadata,
  findReplace,
  // It changes only looks, which nobody reads back.
  updateDimensionProperties: (draft, request, at) => {
    paths(request, 'DimensionProperties', at);
    sheetOf(draft, isObject(request.range) ? request.range : {}, at);
    return {};
  },
};

/** `POST /v4/spreadsheets/{id}:batchUpdate`: every request in order, or none of them. */
export function batchUpdate(exchange: Exchange, id: string): unknown {
  const { store } = exchange;
  const file = existingSpreadsheet(exchange, id);
  const body = parseMessage(exchange.body, 'BatchUpdateSpreadsheetRequest');
  const requests = Array.isArray(body.requests) ? body.requests : [];
  if (requests.length === 0) throw invalidArgument('Must specify at least one request.');
  const draft: Draft = {
    sheets: structuredClone(file.sheets),
    developerMetadata: [...(file.developerMetadata ?? [])],
  };
  const replies = requests.map((request: unknown, index) => apply(draft, request, index));
  file.sheets = draft.sheets;
  file.developerMetadata = draft.developerMetadata;
  store.touch(file);
  return selectFields({ spreadsheetId: id, replies }, exchange, { spreadsheetId: true, replies: true });
}

function apply(draft: Draft, request: unknown, index: number): JsonObject {
  const entries = isObject(request) ? Object.entries(request) : [];
  const [entry] = entries;
  if (!entry || entries.length > 1) throw invalidArgument(`Invalid requests[${index}]: No request set.`);
  const [kind, content] = entry;
  const run = REQUESTS[kind];
  if (!run) throw new Error(`No code for ${kind}.`);
  return run(draft, isObject(content) ? content : {}, `Invalid requests[${index}].${kind}: `);
}

/** The size of the grid, and the rows that stay in sight. */
function updateSheetProperties(draft: Draft, request: JsonObject, at: string): JsonObject {
  const properties = isObject(request.properties) ? request.properties : {};
  const grid = isObject(properties.gridProperties) ? properties.gridProperties : {};
  const sheet = sheetOf(draft, properties, at);
  for (const path of paths(request, 'SheetProperties', at)) {
    // Google looks at the rows before it looks at the columns: https://github.com/robin900/gspread-dataframe/issues/37
    if (path === 'gridProperties.rowCount') sheet.rowCount = size(grid, 'rowCount', sheet.rowCount, at);
    else if (path === 'gridProperties.columnCount')
      sheet.columnCount = size(grid, 'columnCount', sheet.columnCount, at);
    else if (path === 'gridProperties.frozenRowCount')
      sheet.frozenRowCount = indexAt(grid, 'frozenRowCount') ?? 0;
    else throw invalidArgument(`${at}Not emulated: ${path}.`);
    checkSize(draft.sheets, at);
  }
  if (sheet.frozenRowCount >= sheet.rowCount) {
    throw invalidArgument(`${at}You can't freeze all visible rows on the sheet.`);
  }
  sheet.rows.length = Math.min(sheet.rows.length, sheet.rowCount);
  for (const row of sheet.rows) if (row) row.length = Math.min(row.length, sheet.columnCount);
  return {};
}

function addSheet(draft: Draft, request: JsonObject, at: string): JsonObject {
  const properties = isObject(request.properties) ? request.properties : {};
  const highest = Math.max(...draft.sheets.map((sheet) => sheet.sheetId));
  const sheet = sheetFrom({ sheetId: highest + 1, ...properties }, draft.sheets.length);
  retitle(draft, sheet, sheet.title, at);
  if (draft.sheets.some((each) => each.sheetId === sheet.sheetId)) {
    throw invalidArgument(`${at}Sheet with id ${sheet.sheetId} already exists.`);
  }
  const index = indexAt(properties, 'index') ?? draft.sheets.length;
  draft.sheets.splice(index, 0, sheet);
  checkSize(draft.sheets, at);
  return { addSheet: { properties: sheetProperties(sheet, index) } };
}

function deleteSheet(draft: Draft, request: JsonObject, at: string): JsonObject {
  const sheet = sheetOf(draft, request, at);
  if (draft.sheets.length === 1) throw invalidArgument(`${at}You can't remove all the sheets in a document.`);
  draft.sheets.splice(draft.sheets.indexOf(sheet), 1);
  return {};
}

function retitle(draft: Draft, sheet: Sheet, title: string | undefined, at: string): void {
  if (!title) throw invalidArgument(`${at}The sheet name cannot be empty.`);
  const taken = draft.sheets.some(
    (each) => each !== sheet && each.title.toLowerCase() === title.toLowerCase(),
  );
  if (taken) {
    throw invalidArgument(`${at}A sheet with the name "${title}" already exists. Please enter another name.`);
  }
  sheet.title = title;
}

function size(grid: JsonObject, member: string, current: number, at: string): number {
  const wanted = indexAt(grid, member) ?? current;
  if (wanted < 1) throw invalidArgument(`${at}${member} must be at least 1.`);
  return wanted;
}
