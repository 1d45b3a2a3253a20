import { type Draft, paths, sheetOf } from './batch-request.js';
import { type Cell, checkLength, withFormula } from './cell.js';
import { invalidArgument } from './google-error.js';
import { rectangle } from './grid-range.js';
import { isObject, type JsonObject } from './json.js';
import { cellAt, setCell } from './sheet.js';

/** `updateCells`: values and formats, from a cell on. */
export function updateCells(draft: Draft, request: JsonObject, at: string): JsonObject {
  const { start } = request;
  if (!isObject(start)) throw invalidArgument(`${at}Not emulated: updateCells without a start.`);
  const sheet = sheetOf(draft, start, at);
  const area = rectangle(sheet, start, true, at);
  const mask = paths(request, 'CellData', at);
  const rows: unknown[] = Array.isArray(request.rows) ? request.rows : [];
  if (rows.length > area.endRow - area.startRow) {
    const beyond = `beyond the last requested row of: ${area.endRow - 1}`;
    throw invalidArgument(`${at}Attempting to write row: ${area.endRow}, ${beyond}`);
  }
  for (const [down, line] of rows.entries()) {
    const values: unknown[] = isObject(line) && Array.isArray(line.values) ? line.values : [];
    if (values.length > area.endColumn - area.startColumn) {
      const beyond = `beyond the last requested column of: ${area.endColumn - 1}`;
      throw invalidArgument(`${at}Attempting to write column: ${area.endColumn}, ${beyond}`);
    }
    for (const [across, data] of values.entries()) {
      const [row, column] = [area.startRow + down, area.startColumn + across];
      const cell = merged(cellAt(sheet, row, column), isObject(data) ? data : {}, mask, at);
      setCell(sheet, row, column, cell);
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
