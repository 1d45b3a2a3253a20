import { type Draft, sheetOf } from './batch-request.js';
import { checkLength, enter, render } from './cell.js';
import { invalidArgument } from './google-error.js';
import { rectangle } from './grid-range.js';
import { isObject, type JsonObject, stringAt } from './json.js';
import { cellAt, type Sheet, setCell } from './sheet.js';

/** `findReplace` in a range: what people see of a cell is searched, and what it becomes is read as if typed. Formulas stay. */
export function findReplace(draft: Draft, request: JsonObject, at: string): JsonObject {
  const { range } = request;
  if (!isObject(range)) throw invalidArgument(`${at}Not emulated: findReplace without a range.`);
  const sheet = sheetOf(draft, range, at);
  const area = rectangle(sheet, range, false, at);
  const pattern = patternOf(request, at);
  const replacement = stringAt(request, 'replacement') ?? '';
  const changed = { values: 0, rows: new Set<number>() };
  for (let row = area.startRow; row < area.endRow; row++) {
    for (let column = area.startColumn; column < area.endColumn; column++) {
      if (!replaced(sheet, row, column, pattern, replacement, at)) continue;
      changed.values += 1;
      changed.rows.add(row);
    }
  }
  const counts = {
    valuesChanged: changed.values,
    rowsChanged: changed.rows.size,
    sheetsChanged: Math.min(changed.rows.size, 1),
    occurrencesChanged: changed.values,
  };
  // Google leaves out what is 0.
  return { findReplace: Object.fromEntries(Object.entries(counts).filter(([, count]) => count > 0)) };
}

function replaced(
  sheet: Sheet,
  row: number,
  column: number,
  pattern: RegExp,
  replacement: string,
  at: string,
): boolean {
  const cell = cellAt(sheet, row, column);
  if (cell?.formula !== undefined) return false;
  const text = String(render(cell, 'FORMATTED_VALUE') ?? '');
  if (text.search(pattern) < 0) return false;
  const changed = text.replace(pattern, replacement);
  checkLength(changed, at);
  setCell(sheet, row, column, enter(cell, changed));
  return true;
}

function patternOf(request: JsonObject, at: string): RegExp {
  const find = stringAt(request, 'find');
  if (!find) throw invalidArgument(`${at}Must specify a value to find.`);
  const source = request.searchByRegex === true ? find : find.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&');
  const flags = request.matchCase === true ? 'g' : 'gi';
  try {
    return new RegExp(request.matchEntireCell === true ? `^(?:${source})$` : source, flags);
  } catch {
    throw invalidArgument(`${at}Invalid regular expression.`);
  }
}
