import { enter, render } from './cell.js';
import { GoogleError } from './google-error.js';
import { parseHyperlink } from './hyperlink.js';
import { isObject, type JsonObject } from './json.js';
import { cellAt, type Sheet, setCell } from './sheet.js';

/** A cell that is not empty, as the page shows it. */
export interface PageCell {
  readonly row: number;
  readonly column: number;
  readonly text: string;
  /** Where a HYPERLINK leads. */
  readonly href?: string;
  readonly bold?: true;
}

/** A cell as a person left it. */
export interface TypedCell {
  readonly row: number;
  readonly column: number;
  readonly text: string;
}

// What a person can reach by typing; the API is bound by the grid alone.
const LAST_ROW = 20_000;
const LAST_COLUMN = 200;

/** The cells of a sheet that have something in them. */
export function pageCells(sheet: Sheet): PageCell[] {
  const cells: PageCell[] = [];
  for (const [row, line] of sheet.rows.entries()) {
    for (const [column, cell] of (line ?? []).entries()) {
      const text = render(cell, 'FORMATTED_VALUE');
      if (text === undefined) continue;
      const href = safeUrl(cell?.formula ? parseHyperlink(cell.formula)?.url : undefined);
      const bold = isBold(cell?.format);
      cells.push({ row, column, text: String(text), ...(href && { href }), ...(bold && { bold }) });
    }
  }
  return cells;
}

/**
 * Enters what was typed, as Google reads typing: `12` is a number, `TRUE` a boolean. The grid grows where needed.
 * @throws GoogleError 400 for a cell too far out
 */
export function typeCells(sheet: Sheet, typed: readonly TypedCell[]): void {
  for (const { row, column, text } of typed) {
    if (row >= LAST_ROW || column >= LAST_COLUMN || text.length > 50_000) {
      throw new GoogleError(400, 'That is beyond what a sheet can hold.');
    }
  }
  for (const { row, column, text } of typed) {
    sheet.rowCount = Math.max(sheet.rowCount, row + 1);
    sheet.columnCount = Math.max(sheet.columnCount, column + 1);
    setCell(sheet, row, column, enter(cellAt(sheet, row, column), text));
  }
}

function isBold(format: JsonObject | undefined): boolean {
  return isObject(format?.textFormat) && format.textFormat.bold === true;
}

/** Only links that lead to a page or a mail; `javascript:` and the like are shown as text. */
function safeUrl(url: string | undefined): string | undefined {
  return url !== undefined && /^(https?|mailto):/i.test(url) ? url : undefined;
}
