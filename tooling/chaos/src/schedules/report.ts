import { aligned } from '../table.js';
import type { ScheduleResult } from './run-schedules.js';

const HEADS = ['database', 'days', 'ticks', 'missing', 'doubled', 'stray', 'started', 'killed'];

/** How many violations of one result are printed. */
const MOST = 10;

/** The results as a table of text. */
export function table(results: readonly ScheduleResult[]): string {
  return aligned([HEADS, ...results.map(cells)], 1);
}

function cells({ database, days, ticks, started, killed, violations }: ScheduleResult): string[] {
  const count = (what: string): number => violations.filter((violation) => violation.what === what).length;
  const numbers = [days, ticks, count('missing'), count('doubled'), count('stray'), started, killed];
  return [database, ...numbers.map(String)];
}

/** What is wrong with the results, a line each. */
export function failures(results: readonly ScheduleResult[]): string[] {
  return results.flatMap(({ database, ticks, killed, isOver, violations, deaths }) => {
    const lines = violations.slice(0, MOST).map(({ what, text }) => `${what}: ${text}`);
    if (violations.length > MOST) lines.push(`and ${violations.length - MOST} more`);
    if (!isOver)
      lines.push(
        'the time was not over, so nothing is proved: a busy machine needs fewer --workers or one --database',
      );
    else if (ticks === 0 || killed === 0) lines.push('no ticks or no kills, so nothing is proved');
    return [...lines, ...deaths].map((line) => `schedules on ${database}: ${line}`);
  });
}
