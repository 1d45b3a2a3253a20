import { type CellValue, render, type ValueRender } from './cell.js';
import { invalidArgument } from './google-error.js';
import type { JsonObject } from './json.js';
import type { Located } from './sheet.js';

/** How values are read: members of a query, or of a body. */
export interface ReadOptions {
  readonly valueRenderOption: string | undefined;
  readonly majorDimension: string | undefined;
}

/** Empty cells at the end of a row and empty rows at the end of the range are left out, as Google leaves them out. */
export function valueRange({ sheet, range, a1 }: Located, options: ReadOptions): JsonObject {
  const how = renderOption(options.valueRenderOption);
  const majorDimension = options.majorDimension ?? 'ROWS';
  if (majorDimension !== 'ROWS' && majorDimension !== 'COLUMNS') {
    throw invalidArgument(
      `Invalid value at 'major_dimension' (type.googleapis.com/Dimension), "${majorDimension}"`,
    );
  }
  const lines: CellValue[][] = [];
  for (let row = range.startRow; row < Math.min(range.endRow, sheet.rows.length); row++) {
    for (let column = range.startColumn; column < range.endColumn; column++) {
      const value = render(sheet.rows[row]?.[column], how);
      if (value === undefined) continue;
      const [line, place] = [row - range.startRow, column - range.startColumn];
      const [major, minor] = majorDimension === 'ROWS' ? [line, place] : [place, line];
      while (lines.length <= major) lines.push([]);
      const target = lines[major] ?? [];
      while (target.length < minor) target.push('');
      target[minor] = value;
    }
  }
  return { range: a1, majorDimension, ...(lines.length > 0 && { values: lines }) };
}

/** The row after the last one that has a value in the columns of the range; 0 if none has. */
export function usedRows({ sheet, range }: Located): number {
  for (let row = sheet.rows.length; row > range.startRow; row--) {
    const cells = sheet.rows[row - 1]?.slice(range.startColumn, range.endColumn) ?? [];
    if (cells.some((cell) => cell?.value !== undefined)) return row;
  }
  return 0;
}

function renderOption(option: string | undefined): ValueRender {
  if (option === undefined) return 'FORMATTED_VALUE';
  if (option === 'FORMATTED_VALUE' || option === 'UNFORMATTED_VALUE' || option === 'FORMULA') return option;
  throw invalidArgument(
    `Invalid value at 'value_render_option' (type.googleapis.com/ValueRenderOption), "${option}"`,
  );
}
