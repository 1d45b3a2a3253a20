import type { JobFilter } from '../driver/job-filter.js';
import { HIGHEST_ID } from '../driver/job-ids.js';
import type { Jobs } from '../driver/jobs.js';
import { InvalidInputError } from '../errors.js';
import { checkWhole, LIMITS } from '../input.js';
import type { JobCount, JobView } from '../job/job.js';
import { checkOptions } from '../known-options.js';
import { checkFilter, FILTER } from './check-filter.js';
import { lookFor, lookForNumber } from './look.js';

/** The jobs to find. All the given conditions must hold. */
export interface ListOptions extends JobFilter {
  /** 1 to 1,000. Default 50. */
  readonly limit?: number;
  /** The `cursor` of the page before. Null, or absent: the first page. */
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

/** How far is counted by default. */
export const COUNTED = 10_000;

/** A page of the jobs that a filter means. @throws InvalidInputError */
export async function list(store: Pick<Jobs, 'list'>, options: ListOptions): Promise<Listed> {
  checkOptions('list()', options, [...FILTER, 'limit', 'cursor']);
  const { limit = 50, cursor, ...given } = options;
  checkWhole('limit', limit, 1, LIMITS.page);
  const filter = checkFilter(given);
  const { jobs, next } = await lookFor(store, filter, { limit, before: decodeCursor(cursor) });
  return {
    jobs,
    cursor: next === null ? null : encodeCursor(next),
    stopped: next !== null && jobs.length < limit,
  };
}

/** How many jobs a filter means. @throws InvalidInputError */
export async function count(store: Pick<Jobs, 'list' | 'count'>, options: CountOptions): Promise<JobCount> {
  checkOptions('count()', options, [...FILTER, 'upTo']);
  const { upTo = COUNTED, ...given } = options;
  checkWhole('upTo', upTo, 1, Number.MAX_SAFE_INTEGER - 1);
  return lookForNumber(store, checkFilter(given), upTo);
}

/** Encodes the id, so that no caller depends on its form. */
function encodeCursor(id: bigint): string {
  return Buffer.from(`r${id}`).toString('base64url');
}

function decodeCursor(cursor: string | null | undefined): bigint | null {
  if (cursor === undefined || cursor === null) return null;
  const text = typeof cursor === 'string' ? Buffer.from(cursor, 'base64url').toString('latin1') : '';
  const [, id] = /^r(\d{1,19})$/.exec(text) ?? [];
  if (id === undefined || BigInt(id) > HIGHEST_ID) {
    throw new InvalidInputError('cursor is not one that list() returned.');
  }
  return BigInt(id);
}
