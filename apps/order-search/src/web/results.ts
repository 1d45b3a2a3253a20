import type { Found } from '../data/found.js';
import type { Line } from '../search/entry.js';
import type { Term } from '../search/query.js';
import { piecesOf } from './pieces.js';
import type { LineView, ResultView } from './views.js';

/** More lines of a result are not shown. */
const MOST_LINES = 4;

/** A result as the page shows it. */
export function resultOf({ orderNo, lines }: Found, terms: readonly Term[]): ResultView {
  const found = lines
    .map(({ source, text }): LineView => ({ source, pieces: piecesOf(text, terms) }))
    .filter(({ pieces }) => pieces.length > 1)
    .sort((a, b) => b.pieces.length - a.pieces.length);
  return { orderNo, title: titleOf(lines), lines: found.slice(0, MOST_LINES) };
}

function titleOf(lines: readonly Line[]): string {
  const of = (source: string) => lines.find((line) => line.source === source)?.text ?? '';
  return [of('customer'), of('order')].filter(Boolean).join(' · ');
}
