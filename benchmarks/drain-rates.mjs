import { ratio, spread } from './statistics.mjs';
import { perSecond, table, times } from './table.mjs';

/** Rates of drains as rows and as text, with the ratio to the first. @param ratioTo The head of the ratios. */
export function drainRates(title, ratioTo, played) {
  const rates = ({ results }) => results.map(({ rate }) => rate);
  const [first] = played;
  const rows = played.map((entry) => ({
    title: entry.title,
    problem: entry.problem,
    ...(entry.results.length === 0 ? {} : { rate: spread(rates(entry)) }),
    ratio: ratio(rates(entry), rates(first)),
  }));
  const head = ['', '', 'median', 'least', 'most', ratioTo, ''];
  const cells = rows.map(({ title, problem, rate, ratio }) => {
    const figures = rate ? [rate.median, rate.least, rate.most].map(perSecond) : ['-', '-', '-'];
    return [title, '', ...figures, times(ratio), problem ?? ''];
  });
  return { rows, text: `${title}\n${table(head, cells)}` };
}
