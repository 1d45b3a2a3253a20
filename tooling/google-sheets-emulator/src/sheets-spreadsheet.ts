import { metadataResource } from './developer-metadata.js';
import { type DriveFile, SPREADSHEET } from './drive-file.js';
import { type Exchange, editUrl } from './exchange.js';
import type { Shape } from './field-mask.js';
import { entityNotFound } from './google-error.js';
import { indexAt, isObject, type JsonObject, stringAt } from './json.js';
import { NEW_SHEET, newSheet, type Sheet } from './sheet.js';
import { selectFields } from './sheets-fields.js';

const SPREADSHEET_SHAPE: Shape = {
  spreadsheetId: true,
  spreadsheetUrl: true,
  properties: { title: true, locale: true, timeZone: true, autoRecalc: true, defaultFormat: true },
  sheets: {
    properties: {
      sheetId: true,
      title: true,
      index: true,
      sheetType: true,
      gridProperties: true,
    },
  },
  developerMetadata: {
    metadataId: true,
    metadataKey: true,
    metadataValue: true,
    location: true,
    visibility: true,
  },
};

/** `GET /v4/spreadsheets/{id}`, without the cells. */
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

function spreadsheetResource(file: DriveFile, { publicUrl }: Exchange): JsonObject {
  const metadata = file.developerMetadata ?? [];
  return {
    spreadsheetId: file.id,
    properties: { title: file.name, locale: 'en_US', autoRecalc: 'ON_CHANGE', timeZone: 'Etc/GMT' },
    sheets: file.sheets.map((sheet, index) => ({ properties: sheetProperties(sheet, index) })),
    spreadsheetUrl: editUrl(publicUrl, file.id),
    ...(metadata.length > 0 && { developerMetadata: metadata.map(metadataResource) }),
  };
}

export function sheetProperties(sheet: Sheet, index: number): JsonObject {
  const { rowCount, columnCount, frozenRowCount } = sheet;
  return {
    sheetId: sheet.sheetId,
    title: sheet.title,
    index,
    sheetType: 'GRID',
    gridProperties: {
      rowCount,
      columnCount,
      ...(frozenRowCount > 0 && { frozenRowCount }),
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
  return sheet;
}
