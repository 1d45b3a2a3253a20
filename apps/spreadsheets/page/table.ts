import type { Encoding } from './encoding.js';
import type { Separator } from './separators.js';

/** What a spreadsheet takes; the server checks it. */
export const MOST = { rows: 5_000, columns: 50 } as const;

/** What a person says of a file, where it was read wrongly. */
export interface Chosen {
  readonly encoding?: Encoding;
  readonly separator?: Separator;
}

/** A text as it was understood. */
export interface Table {
  /** Lines without anything in them are left out, and what is beyond `MOST`. */
  readonly cells: string[][];
  /** How many rows there are below the first, and how many columns, all of them. */
  readonly rows: number;
  readonly columns: number;
  /** Undefined for what was a text already. */
  readonly encoding: Encoding | undefined;
  readonly separator: Separator;
}

/** Whether a part of it was left out. */
export function isTooLarge({ rows, columns }: Table): boolean {
  return rows > MOST.rows || columns > MOST.columns;
}
