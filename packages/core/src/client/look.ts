import type { JobFilter, JobOrder } from '../driver/job-filter.js';
import type { Jobs } from '../driver/jobs.js';
import type { JobCount, JobId, JobView } from '../job/job.js';
import { beyond, rowsOfTime } from './rows-of-time.js';

/**
 * How many rows the statements of a call look at, one after the other, where no index has what the filter means. Most
 * pages are full after the first.
 */
const LOOKS = [1_000, 39_000] as const;
/** The same where the JSON of each row is read. */
const LOOKS_INTO_JSON = [1_000, 9_000] as const;

/** How many rows a step looks at that goes through all of the jobs. */
export const LOOK = 10_000;

type Listing = Pick<Jobs, 'list' | 'count'>;

export interface Looked {
  readonly jobs: readonly JobView[];
  /** The place where the next page begins. Null at the end. */
  readonly next: JobId | null;
}

interface Looking {
  readonly limit: number;
  readonly order: JobOrder;
  /** The place where the page begins. Null: the first page. */
  readonly at: JobId | null;
}

/** Jobs, in this order, of as many looks as it takes, and as there may be. */
export async function lookFor(
  store: Pick<Listing, 'list'>,
  filter: JobFilter,
  { limit, order, at }: Looking,
): Promise<Looked> {
  const jobs: JobView[] = [];
  let next = at;
  for (const look of looksOf(filter)) {
    const page = await store.list(filter, { limit: limit - jobs.length, ...beyond(next, order), look });
    jobs.push(...page.jobs);
    next = page.next;
    if (jobs.length === limit) break;
    if (next !== null) next = await rowsOfTime(store, filter, next, order);
    if (next === null) break;
  }
  return { jobs, next };
}

/** Counts in as many looks as it takes, and as there may be. */
export async function lookForNumber(store: Listing, filter: JobFilter, upTo: number): Promise<JobCount> {
  let found = 0;
  let next: JobId | null = null;
  for (const look of [...looksOf(filter), upTo]) {
    const page = await store.count(filter, { limit: upTo + 1 - found, before: next, look });
    found += page.count;
    next = page.next;
    if (found > upTo) break;
    if (next !== null) next = await rowsOfTime(store, filter, next, 'newest');
    if (next === null) break;
  }
  return { count: Math.min(found, upTo), more: found > upTo || next !== null };
}

function looksOf({ error, payload }: JobFilter): readonly number[] {
  return error === undefined && payload === undefined ? LOOKS : LOOKS_INTO_JSON;
}
