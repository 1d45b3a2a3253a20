import { plain } from './plain.js';

/** A column of a table. */
export interface Column<Row> {
  readonly title: string;
  readonly of: (row: Row) => string;
  /** Numbers stand at the right. Default `left`. */
  readonly align?: 'right';
  /** Whether it is cut first where the terminal is too narrow. */
  readonly cut?: true;
}

const GAP = '  ';

/** The least width to which a column is cut. */
const LEAST = 8;

/** @param width Of the terminal. Infinite without one. */
export function table<Row>(
  rows: readonly Row[],
  columns: readonly Column<Row>[],
  width: number,
): readonly string[] {
  const cells = [
    columns.map(({ title }) => title),
    ...rows.map((row) => columns.map(({ of }) => plain(of(row)))),
  ];
  const wanted = columns.map((_, place) => Math.max(...cells.map((line) => line[place]?.length ?? 0)));
  const widths = fitted(wanted, columns, width);
  return cells.map((line) =>
    line
      .map((cell, place) => padded(cell, widths[place] ?? 0, columns[place]?.align))
      .join(GAP)
      .trimEnd(),
  );
}

/** Takes what is too much from the columns that may be cut, the widest first. */
function fitted<Row>(
  wanted: readonly number[],
  columns: readonly Column<Row>[],
  width: number,
): readonly number[] {
  const widths = [...wanted];
  const all = widths.reduce((sum, each) => sum + each, GAP.length * (widths.length - 1));
  for (let over = all - width; over > 0; over--) {
    const free = widths.map((each, place) => (columns[place]?.cut === true && each > LEAST ? each : 0));
    const widest = Math.max(...free);
    if (widest === 0) return widths;
    widths[free.indexOf(widest)] = widest - 1;
  }
  return widths;
}

function padded(cell: string, width: number, align: 'right' | undefined): string {
  const shown = cell.length > width ? `${cell.slice(0, width - 1)}…` : cell;
  return align === 'right' ? shown.padStart(width) : shown.padEnd(width);
}
