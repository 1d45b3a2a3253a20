import type { Entry, Line } from '../search/entry.js';

/** An order that was found. */
export interface Found {
  readonly orderNo: number;
  readonly lines: readonly Line[];
}

/** The lines as they are stored: short, because each order has one. */
export function linesText({ lines }: Entry): string {
  return JSON.stringify(lines.map(({ source, text }) => [source, text]));
}

export function linesOf(text: string): readonly Line[] {
  const lines: readonly (readonly [string, string])[] = JSON.parse(text);
  return lines.map(([source, line]) => ({ source, text: line }));
}
