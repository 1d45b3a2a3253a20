import { type Draft, paths, sheetOf } from './batch-request.js';
import { type Cell, checkLength, withFormula } from './cell.js';
import { invalidArgument } from './google-error.js';
import { rectangle } from './grid-range.js';
import { isObject, type JsonObject } from './json.js';
import { cellAt, setCell } from './sheet.js';

/** `updateCells`: values and formats, from a cell on or all over a range. */
export function updateCells(draft: Draft, request: JsonObject, at: string): JsonObject {
  const place = isObject(request.start) ? request.start : isObject(request.range) ? request.range : undefined;
  if (!place) throw invalidArgument(`${at}Must specify start or range.`);
  const sheet = sheetOf(draft, place, at);
  const start = isObject(request.start);
  const area = rectangle(sheet, place, start, at);
  const mask = paths(request, 'CellData', at);
  const rows = Array.isArray(request.rows) ? request.rows : [];
  if (rows.length > area.endRow - area.startRow) {
    const beyond = `beyond the last requested row of: ${area.endRow - 1}`;
    throw invalidArgument(`${at}Attempting to write row: ${area.endRow}, ${beyond}`);
  }
  // With a range the whole of it is written, and cells without data are cleared; with a start only the rows given.
  const lastRow = start ? area.startRow + rows.length : area.endRow;
  for (let row = area.startRow; row < lastRow; row++) {
    const line: unknown = rows[row - area.startRow];
    const values = isObject(line) && Array.isArray(line.values) ? line.values : [];
    if (values.length > area.endColumn - area.startColumn) {
      const beyond = `beyond the last requested column of: ${area.endColumn - 1}`;
      throw invalidArgument(`${at}Attempting to write column: ${area.endColumn}, ${beyond}`);
    }
    const lastColumn = start ? area.startColumn + values.length : area.endColumn;
    for (let column = area.startColumn; column < lastColumn; column++) {
      const data: unknown = values[column - area.startColumn];
      const cell = merged(cellAt(sheet, row, column), isObject(data) ? data : {}, mask, at);
      setCell(sheet, row, column, cell);
    }
  }
  return {};
}

/** `repeatCell`: one value or format all over a range. */
export function repeatCell(draft: Draft, request: JsonObject, at: string): JsonObject {
  const range = isObject(request.range) ? request.range : {};
  const sheet = sheetOf(draft, range, at);
  const area = rectangle(sheet, range, false, at);
  const data = isObject(request.cell) ? request.cell : {};
  const mask = paths(request, 'CellData', at);
  for (let row = area.startRow; row < area.endRow; row++) {
    for (let column = area.startColumn; column < area.endColumn; column++) {
      setCell(sheet, row, column, merged(cellAt(sheet, row, column), data, mask, at));
    }
  }
  return {};
}

/** The cell with the members that the mask names taken from the data; named but not given means cleared. */
function merged(
  cell: Cell | undefined,
  data: JsonObject,
  mask: readonly string[],
  at: string,
): Cell | undefined {
  const takes = (member: string) =>
    mask.some((path) => path === '*' || path === member || path.startsWith(`${member}.`));
  const format = takes('userEnteredFormat')
    ? isObject(data.userEnteredFormat)
      ? data.userEnteredFormat
      : undefined
    : cell?.format;
  const kept = format && { format };
  if (!takes('userEnteredValue')) return cell || kept ? { ...withoutFormat(cell), ...kept } : undefined;
  if (!isObject(data.userEnteredValue)) return kept;
  const { numberValue, stringValue, boolValue, formulaValue } = data.userEnteredValue;
  const value = [formulaValue, numberValue, stringValue, boolValue].find((each) => each !== undefined);
  checkLength(value, at);
  if (typeof formulaValue === 'string') return withFormula(kept, formulaValue);
  if (value === '') return kept;
  return typeof value === 'number' || typeof value === 'boolean' || typeof value === 'string'
    ? { ...kept, value }
    : kept;
}

function withoutFormat(cell: Cell | undefined): Cell {
  const { format: _, ...rest } = cell ?? {};
  return rest;
}
