import { render } from './cell.js';
import { metadataResource } from './developer-metadata.js';
import { type DriveFile, SPREADSHEET } from './drive-file.js';
import { type Exchange, editUrl } from './exchange.js';
import type { Shape } from './field-mask.js';
import { entityNotFound } from './google-error.js';
import { parseHyperlink } from './hyperlink.js';
import { indexAt, isObject, type JsonObject, stringAt } from './json.js';
import { parseMessage } from './parse-message.js';
import { checkSize, NEW_SHEET, newSheet, type Sheet } from './sheet.js';
import { selectFields } from './sheets-fields.js';

export const SPREADSHEET_SHAPE: Shape = {
  spreadsheetId: true,
  spreadsheetUrl: true,
  properties: { title: true, locale: true, timeZone: true, autoRecalc: true, defaultFormat: true },
  sheets: {
    properties: {
      sheetId: true,
      title: true,
      index: true,
      sheetType: true,
      hidden: true,
      gridProperties: true,
    },
    data: { startRow: true, startColumn: true, rowData: true },
  },
  namedRanges: true,
  developerMetadata: {
    metadataId: true,
    metadataKey: true,
    metadataValue: true,
    location: true,
    visibility: true,
  },
};

/** `POST /v4/spreadsheets` */
export function createSpreadsheet(exchange: Exchange): unknown {
  const { store, user } = exchange;
  const body = parseMessage(exchange.body, 'Spreadsheet', 'spreadsheet');
  const properties = isObject(body.properties) ? body.properties : {};
  const asked = Array.isArray(body.sheets) ? body.sheets.filter(isObject) : [];
  const sheets = asked.map((each, index) =>
    sheetFrom(isObject(each.properties) ? each.properties : {}, index),
  );
  checkSize(sheets);
  const file = store.create({
    name: stringAt(properties, 'title') ?? 'Untitled spreadsheet',
    mimeType: SPREADSHEET,
    owner: user,
    ...(sheets.length > 0 && { sheets }),
  });
  return selectFields(spreadsheetResource(file, exchange), exchange, SPREADSHEET_SHAPE);
}

/** `GET /v4/spreadsheets/{id}`; the cells too, of all sheets, with `includeGridData=true`. */
export function getSpreadsheet(exchange: Exchange, id: string): unknown {
  const file = existingSpreadsheet(exchange, id);
  return selectFields(spreadsheetResource(file, exchange), exchange, SPREADSHEET_SHAPE);
}

/** @throws GoogleError 404 "Requested entity was not found." */
export function existingSpreadsheet({ store }: Exchange, id: string): DriveFile {
  const file = store.find(id);
  if (file?.mimeType !== SPREADSHEET) throw entityNotFound();
  return file;
}

export function spreadsheetResource(file: DriveFile, { publicUrl, query }: Exchange): JsonObject {
  const grid = query.get('includeGridData') === 'true';
  const metadata = file.developerMetadata ?? [];
  return {
    spreadsheetId: file.id,
    properties: { title: file.name, locale: 'en_US', autoRecalc: 'ON_CHANGE', timeZone: 'Etc/GMT' },
    sheets: file.sheets.map((sheet, index) => ({
      properties: sheetProperties(sheet, index),
      ...(grid && { data: [{ rowData: sheet.rows.map(rowData) }] }),
    })),
    spreadsheetUrl: editUrl(publicUrl, file.id),
    ...(metadata.length > 0 && { developerMetadata: metadata.map(metadataResource) }),
  };
}

export function sheetProperties(sheet: Sheet, index: number): JsonObject {
  const { rowCount, columnCount, frozenRowCount, frozenColumnCount } = sheet;
  return {
    sheetId: sheet.sheetId,
    title: sheet.title,
    index,
    sheetType: 'GRID',
    ...(sheet.hidden && { hidden: true }),
    gridProperties: {
      rowCount,
      columnCount,
      ...(frozenRowCount > 0 && { frozenRowCount }),
      ...(frozenColumnCount > 0 && { frozenColumnCount }),
    },
  };
}

/** A new sheet from the `properties` of a request. */
export function sheetFrom(properties: JsonObject, ordinal: number): Sheet {
  const grid = isObject(properties.gridProperties) ? properties.gridProperties : {};
  const sheet = newSheet(
    indexAt(properties, 'sheetId') ?? ordinal,
    stringAt(properties, 'title') ?? `Sheet${ordinal + 1}`,
    {
      rowCount: indexAt(grid, 'rowCount') ?? NEW_SHEET.rowCount,
      columnCount: indexAt(grid, 'columnCount') ?? NEW_SHEET.columnCount,
    },
  );
  sheet.frozenRowCount = indexAt(grid, 'frozenRowCount') ?? 0;
  if (properties.hidden === true) sheet.hidden = true;
  return sheet;
}

function rowData(row: Sheet['rows'][number] | undefined): JsonObject {
  return {
    values: (row ?? []).map((cell) => {
      if (cell?.value === undefined) return cell?.format ? { userEnteredFormat: cell.format } : {};
      const link = cell.formula && parseHyperlink(cell.formula);
      return {
        userEnteredValue: cell.formula ? { formulaValue: cell.formula } : extendedValue(cell.value),
        effectiveValue: extendedValue(cell.value),
        formattedValue: String(render(cell, 'FORMATTED_VALUE')),
        ...(cell.format && { userEnteredFormat: cell.format }),
        ...(link && { hyperlink: link.url }),
      };
    }),
  };
}

function extendedValue(value: string | number | boolean): JsonObject {
  if (typeof value === 'number') return { numberValue: value };
  return typeof value === 'boolean' ? { boolValue: value } : { stringValue: value };
}
