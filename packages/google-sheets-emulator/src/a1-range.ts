import { invalidArgument } from './google-error.js';

/** A range of cells, counted from 0, ends exclusive. An absent bound is open: the sheet's own edge. */
export interface GridRange {
  readonly startRow: number;
  readonly endRow?: number;
  readonly startColumn: number;
  readonly endColumn?: number;
}

/** A range as written: the sheet's name if one was given, and the cells if any were. */
export interface A1Range {
  readonly sheet?: string;
  readonly cells?: GridRange;
}

const QUOTED_SHEET = /^'((?:[^']|'')*)'(?:!(.*))?$/s;
const CORNER = /^\$?([A-Za-z]{1,3})?\$?([1-9]\d{0,7})?$/;

/**
 * Reads A1 notation: `A1`, `A1:B2`, `A:C`, `2:4`, `A2:C`, `Sheet1!A1`, `'It''s'!A1:B2`, or a sheet's name alone.
 * @param isSheet tells whether a text without `!` is the name of a sheet; a cell of that name loses against it
 * @throws GoogleError 400 "Unable to parse range: …"
 */
export function parseA1(text: string, isSheet: (name: string) => boolean): A1Range {
  const quoted = QUOTED_SHEET.exec(text);
  if (quoted) {
    const sheet = (quoted[1] ?? '').replaceAll("''", "'");
    return quoted[2] === undefined ? { sheet } : { sheet, cells: parseCells(quoted[2], text) };
  }
  const bang = text.lastIndexOf('!');
  if (bang >= 0) return { sheet: text.slice(0, bang), cells: parseCells(text.slice(bang + 1), text) };
  if (isSheet(text)) return { sheet: text };
  return { cells: parseCells(text, text) };
}

/** Writes a range in A1 notation the way Google's answers do. */
export function formatA1(sheet: string, range: Required<GridRange>): string {
  const start = `${columnName(range.startColumn)}${range.startRow + 1}`;
  const end = `${columnName(range.endColumn - 1)}${range.endRow}`;
  return `${quoteSheet(sheet)}!${start === end ? start : `${start}:${end}`}`;
}

/** `0` is `A`, `26` is `AA`. */
export function columnName(index: number): string {
  const rest = Math.floor(index / 26);
  return (rest > 0 ? columnName(rest - 1) : '') + String.fromCharCode(65 + (index % 26));
}

function quoteSheet(name: string): string {
  return /^[A-Za-z_]\w*$/.test(name) && !/^[A-Za-z]{1,3}\d+$/.test(name)
    ? name
    : `'${name.replaceAll("'", "''")}'`;
}

function parseCells(cells: string, whole: string): GridRange {
  const corners = cells.split(':').map((corner) => CORNER.exec(corner));
  const [first, second = first] = corners;
  if (corners.length > 2 || !first?.[0] || !second?.[0]) throw unparsable(whole);
  const [, fromColumn, fromRow] = first;
  const [, toColumn, toRow] = second;
  // A lone `A` or `2` is not a range, and `A1:5` mixes a cell with a row.
  if (corners.length === 1 && (!fromColumn || !fromRow)) throw unparsable(whole);
  if (!fromColumn !== !toColumn && !(fromRow && toRow)) throw unparsable(whole);
  const [startRow, endRow] = bounds(fromRow && Number(fromRow) - 1, toRow && Number(toRow) - 1);
  const [startColumn, endColumn] = bounds(
    fromColumn && columnIndex(fromColumn),
    toColumn && columnIndex(toColumn),
  );
  return {
    startRow,
    startColumn,
    ...(endRow !== undefined && { endRow }),
    ...(endColumn !== undefined && { endColumn }),
  };
}

/** Google accepts corners in either order (`B2:A1`); `A2:C` and `A:C5` are open downwards or start at the top. */
function bounds(a: number | '' | undefined, b: number | '' | undefined): [number, number?] {
  const from = typeof a === 'number' ? a : undefined;
  const to = typeof b === 'number' ? b : undefined;
  if (from === undefined) return to === undefined ? [0] : [0, to + 1];
  if (to === undefined) return [from];
  return [Math.min(from, to), Math.max(from, to) + 1];
}

function columnIndex(name: string): number {
  return [...name.toUpperCase()].reduce((sum, letter) => sum * 26 + letter.charCodeAt(0) - 64, 0) - 1;
}

function unparsable(text: string): Error {
  return invalidArgument(`Unable to parse range: ${text}`);
}
