import { invalidArgument } from './google-error.js';
import { parseHyperlink } from './hyperlink.js';
import type { JsonObject } from './json.js';

export type CellValue = string | number | boolean;

/** A cell as stored: what was entered, and what it looks like. */
export interface Cell {
  /** The literal, or the result of the formula. Absent in a cell that only has a format. */
  readonly value?: CellValue;
  /** The formula as entered, with its `=`. */
  readonly formula?: string;
  readonly format?: JsonObject;
}

export type ValueRender = 'FORMATTED_VALUE' | 'UNFORMATTED_VALUE' | 'FORMULA';

// A digit comes first, or after the point.
const NUMBER = /^[+-]?(?=\.?\d)(?:\d{1,3}(?:,\d{3})+|\d+)?(?:\.\d*)?(?:e[+-]?\d+)?$/i;

/** Google's limit, in characters. */
const MAX_LENGTH = 50_000;

/** @throws GoogleError 400 for a text that is too long for a cell */
export function checkLength(value: unknown, at = ''): void {
  if (typeof value !== 'string' || value.length <= MAX_LENGTH) return;
  throw invalidArgument(
    `${at}Your input contains more than the maximum of ${MAX_LENGTH} characters in a single cell.`,
  );
}

/** Reads what was typed into a cell, and keeps the cell's format. */
export function enter(cell: Cell | undefined, typed: string): Cell | undefined {
  return withTyped(cell?.format && { format: cell.format }, typed);
}

/** A cell with a formula. Of formulas only HYPERLINK is worked out; every other shows `#NAME?`. */
export function withFormula(kept: { format?: JsonObject } | undefined, formula: string): Cell {
  const value = parseHyperlink(formula)?.text ?? '#NAME?';
  return { ...kept, formula, value };
}

/** What a reader of the cell gets; undefined for an empty cell. */
export function render(cell: Cell | null | undefined, how: ValueRender): CellValue | undefined {
  if (cell?.value === undefined) return undefined;
  if (how === 'FORMULA' && cell.formula !== undefined) return cell.formula;
  if (how !== 'FORMATTED_VALUE') return cell.value;
  return typeof cell.value === 'boolean' ? (cell.value ? 'TRUE' : 'FALSE') : String(cell.value);
}

function withTyped(kept: { format?: JsonObject } | undefined, typed: string): Cell | undefined {
  if (typed === '') return kept;
  if (typed.startsWith("'")) return { ...kept, value: typed.slice(1) };
  if (typed.startsWith('=') && typed.length > 1) return withFormula(kept, typed);
  if (/^(true|false)$/i.test(typed.trim())) return { ...kept, value: typed.trim().toLowerCase() === 'true' };
  return { ...kept, value: numberOf(typed.trim()) ?? typed };
}

/** Undefined for what is no number, and for one that is too large to be one. */
function numberOf(text: string): number | undefined {
  const number = NUMBER.test(text) ? Number(text.replaceAll(',', '')) : Number.NaN;
  return Number.isFinite(number) ? number : undefined;
}
