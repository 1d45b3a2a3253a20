import { plain } from './plain.js';
import { cut, widthOf } from './width.js';

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

/**
 * A head, and a line for each row. Where a terminal is too narrow for that, it is null, and each row is a paragraph.
 *
 * @param width Of the terminal. Infinite without one.
 */
export function table<Row>(rows: readonly Row[], columns: readonly Column<Row>[], width: number): Table {
  const cells = [
    columns.map(({ title }) => title),
    ...rows.map((row) => columns.map(({ of }) => plain(of(row)))),
  ];
  const wanted = columns.map((_, place) => Math.max(...cells.map((line) => widthOf(line[place] ?? ''))));
  const widths = fitted(wanted, columns, width);
  const [titles = [], ...others] = cells;
  if (sumOf(widths) > width) return { head: null, lines: others.flatMap(paragraphs(titles, width)) };
  const [head = '', ...lines] = cells.map((line) =>
    line
      .map((cell, place) => padded(cell, widths[place] ?? 0, columns[place]?.align))
      .join(GAP)
      .trimEnd(),
  );
  return { head, lines };
}

interface Table {
  readonly head: string | null;
  readonly lines: readonly string[];
}

/** A line for each value that there is, behind its title. An empty line comes before the next row. */
function paragraphs(
  titles: readonly string[],
  width: number,
): (cells: readonly string[], row: number) => readonly string[] {
  const most = Math.max(...titles.map(widthOf));
  return (cells, row) => {
    const lines = cells.flatMap((cell, place) =>
      cell === '' || cell === '-'
        ? []
        : cut(`${padded(titles[place] ?? '', most, undefined)}${GAP}${cell}`, width),
    );
    return row === 0 ? lines : ['', ...lines];
  };
}

function sumOf(widths: readonly number[]): number {
  return widths.reduce((sum, each) => sum + each, GAP.length * (widths.length - 1));
}

/** Takes what is too much from the columns that may be cut, the widest first. */
function fitted<Row>(
  wanted: readonly number[],
  columns: readonly Column<Row>[],
  width: number,
): readonly number[] {
  const widths = [...wanted];
  for (let over = sumOf(widths) - width; over > 0; over--) {
    const free = widths.map((each, place) => (columns[place]?.cut === true && each > LEAST ? each : 0));
    const widest = Math.max(...free);
    if (widest === 0) return widths;
    widths[free.indexOf(widest)] = widest - 1;
  }
  return widths;
}

function padded(cell: string, width: number, align: 'right' | undefined): string {
  const shown = cut(cell, width);
  const rest = ' '.repeat(Math.max(0, width - widthOf(shown)));
  return align === 'right' ? rest + shown : shown + rest;
}
