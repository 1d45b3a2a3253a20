const ROWS = /^[\s(]*(?:select|with)\b|\breturning\b/i;

/** Whether a statement of Rowlock's has rows as its answer, even if there are none. */
export function returnsRows(text: string): boolean {
  return ROWS.test(text);
}
