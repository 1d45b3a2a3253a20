import { columnName, formatA1, type GridRange } from './a1-range.js';
import { type CellValue, checkLength, enter, type ValueInput } from './cell.js';
import type { DriveFile } from './drive-file.js';
import { invalidArgument } from './google-error.js';
import { type JsonObject, stringAt } from './json.js';
import { beyondGrid, cellAt, locate, setCell } from './sheet.js';

/** What a write says of itself in the answer. */
export interface Summary {
  readonly updatedRange: string;
  readonly updatedRows?: number;
  readonly updatedColumns?: number;
  readonly updatedCells?: number;
}

/** A write that was found to be possible; `apply` does it. */
export interface PlannedWrite {
  readonly summary: Summary;
  readonly sheetId: number;
  apply(): void;
}

/** Works out what a write would do, refuses what the grid cannot take, and leaves the doing to `apply`. */
export function planWrite(file: DriveFile, text: string, body: JsonObject, how: ValueInput): PlannedWrite {
  const { sheet, range } = locate(file.sheets, text);
  const given = stringAt(body, 'range');
  if (
    given !== undefined &&
    given !== text &&
    locate(file.sheets, given).a1 !== locate(file.sheets, text).a1
  ) {
    throw invalidArgument(`Requested writing within range [${text}], but the body names [${given}]`);
  }
  const rows = rowsOf(body);
  const width = Math.max(0, ...rows.map((row) => row.length));
  const written: Required<GridRange> = {
    ...range,
    endRow: range.startRow + Math.max(rows.length, 1),
    endColumn: range.startColumn + Math.max(width, 1),
  };
  // A single cell is an anchor; anything wider is a limit, and Google refuses to write past it.
  const anchor = range.endRow - range.startRow === 1 && range.endColumn - range.startColumn === 1;
  if (written.endRow > sheet.rowCount || written.endColumn > sheet.columnCount)
    throw beyondGrid(sheet, written);
  if (!anchor && (written.endRow > range.endRow || written.endColumn > range.endColumn)) {
    const wall =
      written.endRow > range.endRow ? `row [${range.endRow + 1}]` : `column [${columnName(range.endColumn)}]`;
    throw invalidArgument(
      `Requested writing within range [${formatA1(sheet.title, range)}], but tried writing to ${wall}`,
    );
  }
  let cells = 0;
  for (const row of rows) cells += row.filter((value) => value !== null).length;
  const summary: Summary = {
    updatedRange: formatA1(sheet.title, written),
    ...(cells > 0 && { updatedRows: rows.length, updatedColumns: width, updatedCells: cells }),
  };
  const apply = () => {
    for (const [down, row] of rows.entries()) {
      for (const [across, value] of row.entries()) {
        if (value === null) continue;
        const [r, c] = [range.startRow + down, range.startColumn + across];
        setCell(sheet, r, c, enter(cellAt(sheet, r, c), value, how));
      }
    }
  };
  return { summary, apply, sheetId: sheet.sheetId };
}

/** The cells of a body's `values`, row by row whatever its `majorDimension`. */
export function rowsOf(body: JsonObject): (CellValue | null)[][] {
  const values: unknown[] = Array.isArray(body.values) ? body.values : [];
  const lines = values.map((line, at) => {
    if (!Array.isArray(line)) return [];
    return line.map((value: unknown, place): CellValue | null => {
      checkLength(value);
      if (
        value === null ||
        typeof value === 'string' ||
        typeof value === 'number' ||
        typeof value === 'boolean'
      ) {
        return value;
      }
      const kind = Array.isArray(value) ? 'list_value' : 'struct_value';
      throw invalidArgument(`Invalid values[${at}][${place}]: ${kind}`);
    });
  });
  return stringAt(body, 'majorDimension') === 'COLUMNS' ? transposed(lines) : lines;
}

function transposed(columns: (CellValue | null)[][]): (CellValue | null)[][] {
  const height = Math.max(0, ...columns.map((column) => column.length));
  return Array.from({ length: height }, (_, row) => columns.map((column) => column[row] ?? null));
}

/** @throws GoogleError 400 when `valueInputOption` is missing or unknown */
export function inputOption(option: string | null): ValueInput {
  if (option === 'RAW' || option === 'USER_ENTERED') return option;
  if (option === null || option === 'INPUT_VALUE_OPTION_UNSPECIFIED') {
    throw invalidArgument("'valueInputOption' is required but not specified");
  }
  throw invalidArgument(
    `Invalid value at 'value_input_option' (type.googleapis.com/ValueInputOption), "${option}"`,
  );
}
