import type { CommittedJob } from './job.js';
import { isPaused } from './paused.js';
import type { ModelState } from './state.js';

/** What is due and not paused, locked or not. */
export interface Due {
  /** Whether there are jobs of the kinds. */
  readonly waiting: boolean;
  /** Whether there are some without limits among them. */
  readonly unlimited: boolean;
  /** Whether there are jobs with limits, of any kind. */
  readonly limited: boolean;
  /** The same of paused jobs as well. */
  readonly everLimited: boolean;
  /** The queues that have jobs of the kinds without limits. */
  readonly queues: readonly string[];
  /** The queues and limits that have jobs. A pause of the jobs' kind does not count. */
  readonly parts: readonly string[];
}

export function dueNow(state: ModelState, kinds: readonly string[]): Due {
  const due = state.allCommitted().filter(({ row }) => row.status === 'new' && row.isDue && row.isAvailable);
  const waiting = due.filter(({ wanted }) => kinds.includes(wanted.kind) && !isPaused(state, wanted));
  const unlimited = waiting.filter(({ wanted }) => wanted.limits === null);
  const everLimited = due.filter(({ wanted }) => wanted.limits !== null);
  const limited = everLimited.filter(({ wanted }) => !isPaused(state, wanted, 'any kind'));
  return {
    waiting: waiting.length > 0,
    unlimited: unlimited.length > 0,
    limited: limited.length > 0,
    everLimited: everLimited.length > 0,
    queues: distinct(unlimited, ({ queue }) => queue),
    parts: distinct(limited, ({ queue, limits }) => `${queue} ${JSON.stringify(limits)}`),
  };
}

function distinct(
  jobs: readonly CommittedJob[],
  of: (wanted: CommittedJob['wanted']) => string,
): readonly string[] {
  return [...new Set(jobs.map(({ wanted }) => of(wanted)))].sort();
}
