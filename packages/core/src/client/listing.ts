import type { JobFilter, JobOrder } from '../driver/job-filter.js';
import { HIGHEST_ID } from '../driver/job-ids.js';
import type { Jobs } from '../driver/jobs.js';
import { InvalidInputError } from '../errors.js';
import { checkWhole, LIMITS } from '../input.js';
import type { JobCount, JobId, JobView } from '../job/job.js';
import { checkOptions } from '../known-options.js';
import { checkFilter, FILTER } from './check-filter.js';
import { beyond, rowsOfTime } from './rows-of-time.js';

/** The jobs to find. All the given conditions must hold. */
export interface ListOptions extends JobFilter {
  /** 1 to 1,000. Default 50. */
  readonly limit?: number;
  /** Which jobs come first, by the order of their enqueues. Default `newest`. */
  readonly order?: JobOrder;
  /** The `cursor` of the page before, in the same order. Null, or absent: the first page. */
  readonly cursor?: string | null;
}

/** A page of jobs. */
export interface Listed {
  readonly jobs: readonly JobView[];
  /** Leads to the next page. Null at the end. */
  readonly cursor: string | null;
  /** Whether the page ends because enough rows were looked at. */
  readonly stopped: boolean;
}

/** The jobs to count. All the given conditions must hold. */
export interface CountOptions extends JobFilter {
  /** The highest number that is counted to. Default 10,000. */
  readonly upTo?: number;
}

/**
 * How many rows the statements of a call look at, one after the other, where no index has what the filter means. Most
 * pages are full after the first.
 */
const LOOKS = [1_000, 39_000] as const;
/** The same where the JSON of each row is read. */
const LOOKS_INTO_JSON = [1_000, 9_000] as const;

/** A page of the jobs that a filter means. @throws InvalidInputError */
export async function list(store: Pick<Jobs, 'list'>, options: ListOptions): Promise<Listed> {
  checkOptions('list()', options, [...FILTER, 'limit', 'order', 'cursor']);
  const { limit = 50, order = 'newest', cursor, ...given } = options;
  checkWhole('limit', limit, 1, LIMITS.page);
  const filter = checkFilter(given);
  if (!(order in CURSORS)) throw new InvalidInputError("order must be 'newest' or 'oldest'.");
  const jobs: JobView[] = [];
  let next = decodeCursor(cursor, order);
  for (const look of looksOf(filter)) {
    const page = await store.list(filter, { limit: limit - jobs.length, ...beyond(next, order), look });
    jobs.push(...page.jobs);
    next = page.next;
    if (jobs.length === limit) break;
    if (next !== null) next = await rowsOfTime(store, filter, next, order);
    if (next === null) break;
  }
  return {
    jobs,
    cursor: next === null ? null : encodeCursor(next, order),
    stopped: next !== null && jobs.length < limit,
  };
}

/** How many jobs a filter means. @throws InvalidInputError */
export async function count(store: Pick<Jobs, 'list' | 'count'>, options: CountOptions): Promise<JobCount> {
  checkOptions('count()', options, [...FILTER, 'upTo']);
  const { upTo = 10_000, ...given } = options;
  checkWhole('upTo', upTo, 1, Number.MAX_SAFE_INTEGER - 1);
  const filter = checkFilter(given);
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

/** How a cursor of an order begins. */
const CURSORS: Readonly<Record<JobOrder, string>> = { newest: 'r', oldest: 'o' };

/** Encodes the id, so that no caller depends on its form. */
function encodeCursor(id: bigint, order: JobOrder): string {
  return Buffer.from(`${CURSORS[order]}${id}`).toString('base64url');
}

function decodeCursor(cursor: string | null | undefined, order: JobOrder): bigint | null {
  if (cursor === undefined || cursor === null) return null;
  const text = typeof cursor === 'string' ? Buffer.from(cursor, 'base64url').toString('latin1') : '';
  const [, begin, id] = /^([ro])(\d{1,19})$/.exec(text) ?? [];
  if (id === undefined || begin !== CURSORS[order] || BigInt(id) > HIGHEST_ID) {
    throw new InvalidInputError('cursor is not one that list() returned in this order.');
  }
  return BigInt(id);
}
