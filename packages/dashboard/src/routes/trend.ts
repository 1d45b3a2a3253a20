import type { Trend } from '@rowlock/core/types';
import { Problem } from '../http/problem.js';
import { textIn } from '../http/text-in.js';
import type { Call } from './route.js';

/** How far back the page looks. */
const TIMES = ['1h', '3h', '24h', '7d'] as const;

/** What was settled over a time, of a queue and a kind or of all. */
export async function trend({ rowlock, query }: Call): Promise<Trend> {
  const last = TIMES.find((each) => each === (query.get('last') ?? '3h'));
  if (last === undefined) throw new Problem(400, `last must be of ${TIMES.join(', ')}.`);
  return rowlock.insight.trend({ last, ...textIn(query, 'queue'), ...textIn(query, 'kind') });
}
