import type { CommandOf } from '../command.js';
import { EITHER, type Result } from '../result.js';
import { dueNow } from './due.js';
import { endsTomorrow } from './paused.js';
import { freeSlots } from './slots.js';
import type { ModelState } from './state.js';

export function reclaim(state: ModelState, { dead }: CommandOf<'reclaim'>): Result {
  const leased = state.allCommitted().flatMap((job) => {
    const worker = job.runs.find(({ run }) => run === job.row.run)?.worker;
    return job.row.status === 'in-progress'
      ? [{ job, gone: worker?.alive === false ? [worker.name] : [] }]
      : [];
  });
  const missing = new Set(leased.flatMap(({ gone }) => gone));
  const free = leased.filter(({ job, gone }) => {
    const mayGo = job.row.isLeaseOver || (gone.length > 0 && dead === 'everybody');
    return mayGo && state.isFree(job);
  });
  for (const { job } of free) freeSlots(state, job.row.run);
  for (const { job } of free) job.row = { ...job.row, status: 'new', run: null };
  return { reclaimed: free.length, missing: [...missing].sort() };
}

export function survey(state: ModelState, { kinds }: CommandOf<'survey'>): Result {
  const before = dueNow(state, kinds);
  const jobs = state.allCommitted();
  const outstanding = jobs.filter(({ row }) => row.status === 'new');
  const promoted = outstanding.filter((job) => job.row.isAvailable && !job.row.isDue && state.isFree(job));
  for (const job of promoted) job.row = { ...job.row, isDue: true };
  const after = dueNow(state, kinds);
  const isLater = outstanding.some(({ row }) => !row.isAvailable);
  return {
    promoted: promoted.length,
    next: isLater || endsTomorrow(state) ? 'tomorrow' : null,
    waiting: either(before.waiting, after.waiting),
    unlimited: either(before.unlimited, after.unlimited),
    limited: either(before.limited, after.everLimited),
    leased: jobs.some(({ row }) => row.status === 'in-progress'),
  };
}

/** Those just promoted need not count, nor paused ones with limits. */
function either(before: boolean, after: boolean): Result {
  return before === after ? after : EITHER;
}
