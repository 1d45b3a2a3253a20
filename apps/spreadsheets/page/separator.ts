import Papa from 'papaparse';
import { SEPARATORS, type Separator } from './separators.js';

/** How many lines and characters are looked at. */
const SAMPLE = { lines: 100, length: 200_000 };

/** The separator with which the lines are most alike. It must divide the first line. */
export function separatorOf(text: string): Separator {
  const sample = text.slice(0, SAMPLE.length);
  let best: { separator: Separator; fit: number } = { separator: undefined, fit: 0 };
  for (const separator of SEPARATORS) {
    const fit = fitOf(sample, separator);
    if (fit > best.fit) best = { separator, fit };
  }
  return best.separator;
}

/** 0 to 1. A line that is shorter than the first one counts half: empty cells at its end may be missing. */
function fitOf(text: string, delimiter: string): number {
  const { data } = Papa.parse<string[]>(text, {
    delimiter,
    newline: '\n',
    preview: SAMPLE.lines,
    skipEmptyLines: 'greedy',
  });
  const [header = 0, ...widths] = data.map(({ length }) => length);
  if (header < 2) return 0;
  if (widths.length === 0) return 1;
  const fits = widths.map((width): number => (width === header ? 1 : width > 1 && width < header ? 0.5 : 0));
  return fits.reduce((sum, fit) => sum + fit, 0) / widths.length;
}
