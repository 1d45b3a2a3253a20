import type { JobFilter } from '../driver/job-filter.js';
import type { Jobs } from '../driver/jobs.js';
import type { JobId } from '../job/job.js';

/**
 * By how much the time at which a job was enqueued may differ from the order of the ids, in milliseconds. An id and a
 * time are taken one after the other, by several sessions at once.
 */
const SLACK_MS = 60_000;

type Listing = Pick<Jobs, 'list'>;

/**
 * Where a look for jobs of a time goes on: the rows behind `before` that are younger are left out. A job is settled
 * after it was enqueued, so the end of either time counts. Null: all rows behind are older. Reads some thirty rows.
 */
export async function rowsOfTime(store: Listing, filter: JobFilter, before: JobId): Promise<JobId | null> {
  const { created, settled } = filter;
  const ends = [created?.before, settled?.before].flatMap((end) =>
    end === undefined ? [] : [end.getTime()],
  );
  const from = created?.from?.getTime();
  if (ends.length === 0 && from === undefined) return before;
  const newest = await newestBelow(store, before);
  if (newest === undefined || (from !== undefined && newest < from - SLACK_MS)) return null;
  const end = Math.min(...ends) + SLACK_MS;
  if (newest < end) return before;
  // The newest row below `high` is too young, and that below `low` is not.
  let [low, high] = [0n, before];
  while (high - low > 1n) {
    const middle = (low + high) / 2n;
    const at = await newestBelow(store, middle);
    if (at !== undefined && at >= end) high = middle;
    else low = middle;
  }
  return low;
}

/** When the newest job with a lower id was enqueued, in milliseconds. */
async function newestBelow(store: Listing, before: JobId): Promise<number | undefined> {
  const { jobs } = await store.list({}, { limit: 1, before });
  return jobs[0]?.createdAt.getTime();
}
