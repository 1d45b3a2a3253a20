import type { Result } from './cell.js';
import { percentile } from './history/recovery.js';
import type { Violation } from './history/violation.js';

const HEADS = [
  'fault',
  'database',
  'mode',
  'jobs',
  'lost',
  'doubled',
  'overlaps',
  'other',
  'recoveries',
  'p50 ms',
  'p95 ms',
];

/** What has a column of its own; all else is other. */
const COLUMNS: readonly Violation['what'][] = ['lost', 'doubled', 'overlap'];

/** The results as a table of text. */
export function table(results: readonly Result[]): string {
  return aligned([HEADS, ...results.map(cells)], 3);
}

/** Rows of cells as lines. @param words How many columns have words, at the left. The others have numbers. */
export function aligned(rows: readonly (readonly string[])[], words: number): string {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  return rows
    .map((row) =>
      row
        .map((cell, column) =>
          column < words ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0),
        )
        .join('  '),
    )
    .join('\n');
}

function cells({ fault, database, mode, jobs, violations, recoveriesMs }: Result): string[] {
  const count = (what: string): number => violations.filter((violation) => violation.what === what).length;
  const other = violations.filter(({ what }) => !COLUMNS.includes(what)).length;
  const numbers = [jobs, ...COLUMNS.map(count), other, recoveriesMs.length];
  return [
    fault,
    database,
    mode,
    ...numbers.map(String),
    ms(percentile(recoveriesMs, 0.5)),
    ms(percentile(recoveriesMs, 0.95)),
  ];
}

function ms(figure: number | undefined): string {
  return figure === undefined ? '-' : String(Math.round(figure));
}
