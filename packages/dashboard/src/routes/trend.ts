import type { Trend } from '@rowlock/core/types';
import { Problem } from '../http/problem.js';
import type { Call } from './route.js';

/** How far back the page looks. */
const TIMES = ['3h', '24h', '7d'] as const;

/** What was settled over a time, of a queue or of all. */
export async function trend({ rowlock, query }: Call): Promise<Trend> {
  const last = TIMES.find((each) => each === (query.get('last') ?? '3h'));
  if (last === undefined) throw new Problem(400, `last must be of ${TIMES.join(', ')}.`);
  const queue = query.get('queue') ?? '';
  return rowlock.insight.trend({ last, ...(queue !== '' && { queue }) });
}
