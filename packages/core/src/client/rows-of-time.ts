import type { JobFilter, JobOrder, Page } from '../driver/job-filter.js';
import type { Jobs } from '../driver/jobs.js';
import type { JobId } from '../job/job.js';

/**
 * By how much the time at which a job was enqueued may differ from the order of the ids, in milliseconds. An id and a
 * time are taken one after the other, by several sessions at once.
 */
const SLACK_MS = 60_000;

/** The first step away from the oldest rows, in ids. */
const STEP = 1_000n;

type Listing = Pick<Jobs, 'list'>;

/** The page that begins behind a row. */
export function beyond(at: JobId | null, order: JobOrder): Pick<Page, 'before' | 'after' | 'order'> {
  return order === 'newest' ? { before: at } : { before: null, after: at, order };
}

/**
 * Where a look for jobs of a time goes on: the rows behind `at` that come before that time in this order are left out. A job
 * is settled after it was enqueued, so the end of either time counts. Null: all rows behind come after it. Reads some
 * thirty rows, or forty of the oldest.
 */
export async function rowsOfTime(
  store: Listing,
  { created, settled }: JobFilter,
  at: JobId,
  order: JobOrder,
): Promise<JobId | null> {
  const ends = [created?.before, settled?.before].flatMap((end) => end?.getTime() ?? []);
  const begin = (created?.from?.getTime() ?? Number.NEGATIVE_INFINITY) - SLACK_MS;
  const end = Math.min(...ends) + SLACK_MS;
  if (begin === Number.NEGATIVE_INFINITY && ends.length === 0) return at;
  const [isAhead, isOver] =
    order === 'newest'
      ? [(ms: number) => ms >= end, (ms: number) => ms < begin]
      : [(ms: number) => ms < begin, (ms: number) => ms >= end];
  const next = await timeBeyond(store, at, order);
  if (next === undefined || isOver(next)) return null;
  if (!isAhead(next)) return at;
  const comesBefore = async (id: JobId): Promise<boolean> => {
    const ms = await timeBeyond(store, id, order);
    return ms !== undefined && isAhead(ms);
  };
  // The next row beyond `ahead` comes before the time, and that beyond `there` does not.
  let [ahead, there] = [at, order === 'newest' ? 0n : at + STEP];
  // The highest id is not known, so the steps grow.
  for (let step = STEP; order === 'oldest' && (await comesBefore(there)); step *= 2n)
    [ahead, there] = [there, there + 2n * step];
  while (there - ahead > 1n || ahead - there > 1n) {
    const middle = (ahead + there) / 2n;
    if (await comesBefore(middle)) ahead = middle;
    else there = middle;
  }
  return there;
}

/** When the next row was enqueued, in milliseconds. */
async function timeBeyond(store: Listing, at: JobId, order: JobOrder): Promise<number | undefined> {
  const { jobs } = await store.list({}, { limit: 1, ...beyond(at, order) });
  return jobs[0]?.createdAt.getTime();
}
