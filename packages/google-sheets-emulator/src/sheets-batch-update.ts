import { repeatCell, updateCells } from './batch-cells.js';
import { type Draft, paths, type Request, sheetOf } from './batch-request.js';
import { createDeveloperMetadata } from './developer-metadata.js';
import type { Exchange } from './exchange.js';
import { findReplace } from './find-replace.js';
import { invalidArgument } from './google-error.js';
import { indexAt, isObject, type JsonObject, stringAt } from './json.js';
import { parseMessage } from './parse-message.js';
import { checkSize, firstSheet, type Sheet } from './sheet.js';
import { selectFields } from './sheets-fields.js';
import {
  existingSpreadsheet,
  SPREADSHEET_SHAPE,
  sheetFrom,
  sheetProperties,
  spreadsheetResource,
} from './sheets-spreadsheet.js';

const nothing: Request = (draft, request, at) => {
  const range = isObject(request.range)
    ? request.range
    : isObject(request.dimensions)
      ? request.dimensions
      : {};
  sheetOf(draft, range, at);
  return {};
};

/** The kinds of request that are emulated. Those that are `nothing` change only looks, which no one reads back. */
const REQUESTS: Readonly<Record<string, Request>> = {
  updateSpreadsheetProperties,
  updateSheetProperties,
  addSheet,
  deleteSheet,
  appendDimension,
  updateCells,
  repeatCell,
  createDeveloperMetadata,
  findReplace,
  updateDimensionProperties: (draft, request, at) => {
    paths(request, 'DimensionProperties', at);
    return nothing(draft, request, at);
  },
  autoResizeDimensions: nothing,
};

/** `POST /v4/spreadsheets/{id}:batchUpdate`: every request in order, or none of them. */
export function batchUpdate(exchange: Exchange, id: string): unknown {
  const { store } = exchange;
  const file = existingSpreadsheet(exchange, id);
  const body = parseMessage(exchange.body, 'BatchUpdateSpreadsheetRequest');
  const requests = Array.isArray(body.requests) ? body.requests : [];
  if (requests.length === 0) throw invalidArgument('Must specify at least one request.');
  const draft: Draft = {
    name: file.name,
    sheets: structuredClone(file.sheets),
    developerMetadata: [...(file.developerMetadata ?? [])],
  };
  const replies = requests.map((request: unknown, index) => apply(draft, request, index));
  file.name = draft.name;
  file.sheets = draft.sheets;
  file.developerMetadata = draft.developerMetadata;
  store.touch(file);
  const include = body.includeSpreadsheetInResponse === true;
  const answer = {
    spreadsheetId: id,
    replies,
    ...(include && { updatedSpreadsheet: spreadsheetResource(file, exchange) }),
  };
  const shape = { spreadsheetId: true, replies: true, updatedSpreadsheet: SPREADSHEET_SHAPE } as const;
  return selectFields(answer, exchange, shape);
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

function updateSpreadsheetProperties(draft: Draft, request: JsonObject, at: string): JsonObject {
  const properties = isObject(request.properties) ? request.properties : {};
  for (const path of paths(request, 'SpreadsheetProperties', at)) {
    if (path === 'title' || path === '*') draft.name = stringAt(properties, 'title') ?? '';
  }
  return {};
}

function updateSheetProperties(draft: Draft, request: JsonObject, at: string): JsonObject {
  const properties = isObject(request.properties) ? request.properties : {};
  const grid = isObject(properties.gridProperties) ? properties.gridProperties : {};
  const sheet = sheetOf(draft, properties, at);
  for (const path of paths(request, 'SheetProperties', at)) {
    const all = path === '*';
    if (all || path === 'title') retitle(draft, sheet, stringAt(properties, 'title'), at);
    const within = (member: string) =>
      all || path === 'gridProperties' || path === `gridProperties.${member}`;
    if (all || path === 'hidden') sheet.hidden = properties.hidden === true;
    if (path === 'index') move(draft, sheet, indexAt(properties, 'index') ?? 0);
    // Google looks at the rows before it looks at the columns: https://github.com/robin900/gspread-dataframe/issues/37
    if (within('rowCount')) sheet.rowCount = size(grid, 'rowCount', sheet.rowCount, at);
    checkSize(draft.sheets, at);
    if (within('columnCount')) sheet.columnCount = size(grid, 'columnCount', sheet.columnCount, at);
    checkSize(draft.sheets, at);
    if (within('frozenRowCount')) sheet.frozenRowCount = indexAt(grid, 'frozenRowCount') ?? 0;
    if (within('frozenColumnCount')) sheet.frozenColumnCount = indexAt(grid, 'frozenColumnCount') ?? 0;
  }
  if (!firstSheet(draft.sheets)) throw invalidArgument(`${at}You can't hide all the sheets in a document.`);
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
  if (!firstSheet(draft.sheets)) {
    throw invalidArgument(`${at}You can't remove all the visible sheets in a document.`);
  }
  return {};
}

function appendDimension(draft: Draft, request: JsonObject, at: string): JsonObject {
  const sheet = sheetOf(draft, request, at);
  const length = indexAt(request, 'length') ?? 0;
  if (request.dimension === 'ROWS') sheet.rowCount += length;
  else if (request.dimension === 'COLUMNS') sheet.columnCount += length;
  else throw invalidArgument(`${at}No dimension specified.`);
  checkSize(draft.sheets, at);
  return {};
}

/** The index counts places before the move: https://developers.google.com/workspace/sheets/api/reference/rest/v4/spreadsheets/sheets */
function move({ sheets }: Draft, sheet: Sheet, index: number): void {
  const from = sheets.indexOf(sheet);
  sheets.splice(from, 1);
  sheets.splice(index > from ? index - 1 : index, 0, sheet);
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
