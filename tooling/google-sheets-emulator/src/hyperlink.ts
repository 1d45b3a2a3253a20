/** What `=HYPERLINK(url, text)` shows and where it leads. */
export interface Hyperlink {
  readonly url: string;
  readonly text: string;
}

// Two quoted arguments; a quote inside a string is written twice. `;` separates in some locales.
const HYPERLINK = /^=\s*HYPERLINK\(\s*"((?:[^"]|"")*)"\s*(?:[,;]\s*"((?:[^"]|"")*)"\s*)?\)\s*$/i;

/** Reads a HYPERLINK formula with literal arguments; undefined for every other formula. */
export function parseHyperlink(formula: string): Hyperlink | undefined {
  const match = HYPERLINK.exec(formula);
  if (!match) return undefined;
  const url = (match[1] ?? '').replaceAll('""', '"');
  return { url, text: match[2] === undefined ? url : match[2].replaceAll('""', '"') };
}
