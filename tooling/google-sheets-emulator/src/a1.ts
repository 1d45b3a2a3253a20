import type { Rectangle } from './grid-range.js';

/** A cell by its name, counted from 0. */
export interface NamedCell {
  /** The sheet's title if one was given. */
  readonly sheet: string | undefined;
  readonly row: number;
  readonly column: number;
}

const CELL = /^(?:(.+)!)?([A-Z]{1,3})([1-9]\d{0,7})$/;

/** Reads `B3` and `Notes!B3`. @throws Error for another text */
export function cellOf(text: string): NamedCell {
  const [, sheet, letters = '', number] = CELL.exec(text) ?? [];
  if (number === undefined) throw new Error(`${text} names no cell.`);
  const column = [...letters].reduce((sum, letter) => sum * 26 + letter.charCodeAt(0) - 64, 0) - 1;
  return { sheet, row: Number(number) - 1, column };
}

/** The name of a range as Google's answers have it: `Notes!A1:B2`. */
export function rangeName(sheet: string, { startRow, endRow, startColumn, endColumn }: Rectangle): string {
  const quoted = /^[A-Za-z_]\w*$/.test(sheet) ? sheet : `'${sheet.replaceAll("'", "''")}'`;
  return `${quoted}!${columnName(startColumn)}${startRow + 1}:${columnName(endColumn - 1)}${endRow}`;
}

/** `0` is `A`, `26` is `AA`. */
export function columnName(index: number): string {
  const rest = Math.floor(index / 26);
  return (rest > 0 ? columnName(rest - 1) : '') + String.fromCharCode(65 + (index % 26));
}
