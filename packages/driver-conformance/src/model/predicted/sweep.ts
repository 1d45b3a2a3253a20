import type { CommandOf } from '../command.js';
import { EITHER, type Result } from '../result.js';
import type { ModelJob } from './job.js';
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
  for (const { job } of free) job.row = { ...job.row, status: 'new', run: null };
  return { reclaimed: free.length, missing: [...missing].sort() };
}

export function survey(state: ModelState, { kinds }: CommandOf<'survey'>): Result {
  const jobs = state.allCommitted();
  const outstanding = jobs.filter(({ row }) => row.status === 'new');
  const isOf = ({ wanted }: ModelJob): boolean => kinds.includes(wanted.kind);
  const waiting = outstanding.some((job) => job.row.isDue && job.row.isAvailable && isOf(job));
  const promoted = outstanding.filter((job) => job.row.isAvailable && !job.row.isDue && state.isFree(job));
  for (const job of promoted) job.row = { ...job.row, isDue: true };
  return {
    promoted: promoted.length,
    next: outstanding.some(({ row }) => !row.isAvailable) ? 'tomorrow' : null,
    // Those just promoted need not count.
    waiting: waiting || promoted.some(isOf) ? (waiting ? true : EITHER) : false,
    leased: jobs.some(({ row }) => row.status === 'in-progress'),
  };
}
