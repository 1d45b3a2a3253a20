import { box, svg, text } from './svg.js';
import type { Bar, Lane, Mark, Row, Timeline } from './timelines.js';

const WIDTH = 720;
const LEFT = 116;
const RIGHT = 704;
const LANE = 36;
const BAR = 26;
const EDGE = 14;

export function drawnTimeline({ title, rows }: Timeline): string {
  const lines = rows.flatMap((row, place) => drawnRow(row, EDGE / 2 + place * LANE));
  return svg(title, WIDTH, EDGE + rows.length * LANE + EDGE / 2, lines);
}

function drawnRow(row: Row, top: number): string[] {
  const base = top + LANE / 2 + 5;
  if ('heading' in row) return [text('heading', 8, base + 4, row.heading)];
  return [text('label', 8, base, row.label), ...drawnLane(row, top)];
}

function drawnLane({ bars, marks = [] }: Lane, top: number): string[] {
  return [...bars.flatMap((bar) => drawnBar(bar, top)), ...marks.flatMap((mark) => drawnMark(mark, top))];
}

function drawnBar({ from, to, text: said, look }: Bar, top: number): string[] {
  const y = top + (LANE - BAR) / 2;
  const width = across(to) - across(from);
  return [
    box(look, across(from), y, width, BAR),
    text('said', across(from) + width / 2, y + BAR / 2 + 4.5, said, 'middle'),
  ];
}

function drawnMark({ at, text: said, isCrash }: Mark, top: number): string[] {
  const x = across(at);
  const line = isCrash
    ? `<path class="crash" d="M${x - 5} ${top + 13}l10 10m0 -10l-10 10"/>`
    : `<path class="moment" d="M${x} ${top + 2}V${top + LANE - 2}"/>`;
  return said === undefined ? [line] : [line, text('mark', x + 6, top + LANE / 2 + 4, said)];
}

function across(time: number): number {
  return Math.round(LEFT + ((RIGHT - LEFT) * time) / 100);
}
