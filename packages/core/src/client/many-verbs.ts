import { apart, mayBeOfOne, type Refused } from '../driver/apart.js';
import type { Joined } from '../driver/driver.js';
import { isDriverError } from '../driver/driver-error.js';
import type { JobIds } from '../driver/job-filter.js';
import type { JobUpdate, Moved, Updated } from '../driver/jobs.js';
import type { WakeUp } from '../driver/wake-up.js';
import type { ClientEvent } from '../job/lifecycle.js';
import { moveUnlessLocked } from './move-job.js';
import type { SharedStore } from './shared-store.js';

/** What calls for many jobs do to some of them. */
export interface ManyVerbs {
  move(event: ClientEvent, jobs: readonly JobIds[]): Promise<Answers<Moved>>;
  update(update: JobUpdate, jobs: readonly JobIds[]): Promise<Answers<Updated>>;
  /** Deletes those that are settled. */
  remove(jobs: readonly JobIds[]): Promise<{ readonly removed: number } & Refusals>;
  notify(wakeUps: readonly WakeUp[]): Promise<void>;
  /** Wakes workers for what may run now. */
  wake(): Promise<void>;
}

/** The answer for each job. Undefined for one whose unique key another one has, and for one that is refused. */
interface Answers<Answer> extends Refusals {
  readonly answers: readonly (Answer | undefined)[];
}

interface Refusals {
  /** What the database has refused, for a reason of its own. */
  readonly refused: readonly Refused<JobIds>[];
}

/** On the pool, where each job is changed by itself, and the moves share statements. */
export function pooledVerbs(store: SharedStore): ManyVerbs {
  return {
    move: (event, jobs) => eachOf(jobs, ({ publicId }) => moveUnlessLocked(store, event, publicId)),
    update: (update, jobs) => eachOf(jobs, ({ publicId }) => store.update(publicId, update)),
    async remove(jobs) {
      const { answers, refused } = await apart(jobs, (some) => store.remove(some.map(({ id }) => id)));
      return { removed: answers.reduce((sum, each) => sum + each, 0), refused };
    },
    notify: (wakeUps) => store.notify(wakeUps),
    wake: () => store.wake([{}]),
  };
}

/** In a transaction, which is undone as a whole if one of the jobs is refused. */
export function joinedVerbs({ jobs: rows, workers, history }: Joined): ManyVerbs {
  return {
    async move(event, jobs) {
      const publicIds = jobs.map(({ publicId }) => publicId);
      const answers = await rows.move(event, publicIds);
      const cancelled = event === 'cancel' ? publicIds.filter((_, place) => isMoved(answers[place])) : [];
      // Others may wait for these.
      if (cancelled.length > 0) await workers.notify(cancelled.map((after) => ({ after })));
      return { answers, refused: [] };
    },
    async update(update, jobs) {
      const answers: Updated[] = [];
      for (const { publicId } of jobs) answers.push(await rows.update(publicId, update));
      return { answers, refused: [] };
    },
    async remove(jobs) {
      const ids = jobs.map(({ id }) => id);
      return { removed: await history.prune(ids, 0), refused: [] };
    },
    notify: (wakeUps) => workers.notify(wakeUps),
    wake: () => workers.notify([{}]),
  };
}

function isMoved(moved: Moved | undefined): boolean {
  return moved?.outcome === 'moved';
}

async function eachOf<Answer>(
  jobs: readonly JobIds[],
  change: (job: JobIds) => Promise<Answer>,
): Promise<Answers<Answer>> {
  const calls = await Promise.allSettled(jobs.map(change));
  const refused: Refused<JobIds>[] = [];
  const answers = calls.map((call, place) => {
    if (call.status === 'fulfilled') return call.value;
    const { reason: error } = call;
    if (isDriverError(error, 'UniqueViolation')) return undefined;
    const member = jobs[place];
    if (member === undefined || !mayBeOfOne(error)) throw error;
    refused.push({ member, error });
    return undefined;
  });
  return { answers, refused };
}
