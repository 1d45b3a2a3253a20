import { invalidArgument } from './google-error.js';
import { indexAt, type JsonObject } from './json.js';
import type { Sheet } from './sheet.js';

/** The cells of a request, counted from 0, ends exclusive, all of them in the grid. */
export interface Rectangle {
  readonly startRow: number;
  readonly endRow: number;
  readonly startColumn: number;
  readonly endColumn: number;
}

/**
 * The cells of a `GridRange`, or from a `GridCoordinate` on.
 * @throws GoogleError 400 when it begins beyond the grid
 */
export function rectangle(sheet: Sheet, place: JsonObject, start: boolean, at: string): Rectangle {
  const area = start
    ? {
        startRow: indexAt(place, 'rowIndex') ?? 0,
        startColumn: indexAt(place, 'columnIndex') ?? 0,
        endRow: sheet.rowCount,
        endColumn: sheet.columnCount,
      }
    : {
        startRow: indexAt(place, 'startRowIndex') ?? 0,
        startColumn: indexAt(place, 'startColumnIndex') ?? 0,
        endRow: Math.min(indexAt(place, 'endRowIndex') ?? sheet.rowCount, sheet.rowCount),
        endColumn: Math.min(indexAt(place, 'endColumnIndex') ?? sheet.columnCount, sheet.columnCount),
      };
  const outside = (what: string, index: number, count: number, along: string) => {
    const name = start ? `GridCoordinate.${what}Index` : `GridRange.start${along}Index`;
    return invalidArgument(`${at}${name}[${index}] is after last ${what} in grid[${count}]`);
  };
  if (area.startRow >= sheet.rowCount) throw outside('row', area.startRow, sheet.rowCount, 'Row');
  if (area.startColumn >= sheet.columnCount) {
    throw outside('column', area.startColumn, sheet.columnCount, 'Column');
  }
  return area;
}
