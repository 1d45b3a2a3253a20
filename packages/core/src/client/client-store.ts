import type { Joined } from '../driver/driver.js';
import type { Jobs } from '../driver/jobs.js';
import type { WakeUp } from '../driver/wake-up.js';
import type { JoinableWorkers } from '../driver/workers.js';
import { wakeUpsAfter } from '../followers/awaited.js';
import type { Enqueued, JobView, NewJob } from '../job/job.js';

/** What calls do with jobs: on the pool, where many calls share statements, or in a caller's transaction. */
export interface ClientStore
  extends Pick<Jobs, 'uniqueJobs' | 'list' | 'count' | 'move' | 'update'>,
    JoinableWorkers {
  /** Whether it is a caller's transaction. That waits for no lock, as it may have locks itself. */
  readonly isJoined: boolean;
  enqueue(jobs: readonly NewJob[]): Promise<readonly Enqueued[]>;
  find(publicId: string): Promise<JobView | undefined>;
  /** Wakes workers because of a change that is written. On the pool, only logs a failure. */
  wake(wakeUps: readonly WakeUp[]): Promise<void>;
}

/** A caller's transaction, whose commit wakes the workers. */
export function joinedStore({ jobs, workers }: Joined): ClientStore {
  const notify = (wakeUps: readonly WakeUp[]): Promise<void> => workers.notify(wakeUps);
  return {
    ...jobs,
    isJoined: true,
    notify,
    wake: notify,
    async enqueue(rows) {
      const queues = new Set(rows.map(({ queue }) => queue));
      return jobs.enqueue(rows, [...[...queues].map((queue) => ({ queue })), ...wakeUpsAfter(rows)]);
    },
    async find(publicId) {
      const page = await jobs.list({ publicIds: [publicId] }, { limit: 1, before: null });
      return page.jobs[0];
    },
  };
}
