import type { ClaimCriteria, ClaimSession, Job, Survey, WakeUp } from '../src/driver.js';
import type { Driver } from '../src/index.js';
import { NO_EARLIER_RUNS, receipt } from './receipt.js';

export const NOTHING: Survey = {
  promoted: 0,
  nextDueMs: null,
  waiting: false,
  leased: false,
  unlimited: false,
  limited: false,
  followers: false,
  nextExpiryMs: null,
  nextTickMs: null,
  refused: [],
};

/** What a database answers that has nothing else. */
export interface Answers {
  readonly claim: (criteria: ClaimCriteria) => Job | undefined | Promise<Job | undefined>;
  readonly survey: () => Survey | Promise<Survey>;
  /** Default: all queues. */
  readonly dueQueues?: Driver['claims']['dueQueues'];
  /** What its sessions do otherwise. */
  readonly session?: Partial<ClaimSession<unknown>>;
  readonly startRuns?: Driver['claims']['startRuns'];
  readonly reclaim?: Driver['claims']['reclaim'];
  readonly limitedParts?: Driver['admission']['parts'];
  readonly list?: Driver['jobs']['list'];
  readonly move?: Driver['jobs']['move'];
  /** Whether wake-ups are pushed, as they are unless this says no. */
  readonly pushed?: boolean;
  /** What comes behind the first wake-up, which every session has. */
  readonly wakeUps?: AsyncIterable<WakeUp>;
}

export function job(id: bigint, key: string | null = null): Job {
  return {
    id,
    publicId: `job ${id}`,
    queue: 'default',
    kind: 'work',
    key,
    payload: {},
    priority: 0,
    status: 'new',
    attempt: 0,
    maxAttempts: 5,
    crashes: 0,
    redrives: 0,
    metadata: {},
    limits: '',
    createdAt: new Date(0),
    waitedMs: 0,
  };
}

/** Its session calls once, at the beginning. Counts what it was asked. */
export function emptyDatabase(answers: Answers): {
  readonly driver: Driver;
  readonly looks: number;
  readonly surveys: number;
} {
  let looks = 0;
  let surveys = 0;
  const unused = () => Promise.reject(new Error('Nothing here uses this.'));
  const session: ClaimSession<unknown> = {
    lost: new AbortController().signal,
    handle: undefined,
    async claim(criteria) {
      looks += 1;
      const job = await answers.claim(criteria);
      return job === undefined ? [] : [job];
    },
    lockSiblings: unused,
    firstOutstanding: unused,
    confirm: unused,
    release: unused,
    lease: unused,
    enterLimits: unused,
    leaveLimits: unused,
    lockLeased: unused,
    used: false,
    settle: async (settlements) => settlements.map(({ id }) => id),
    finish: async (settlements) => ({ settled: settlements.map(({ id }) => id), next: null }),
    renew: unused,
    undo: async () => {},
    commit: async () => {},
    rollback: async () => {},
    ...answers.session,
  };
  const driver: Driver = {
    name: 'empty',
    pool: null,
    schema: { migrate: unused, empty: unused, verify: async () => ({ limits: [] }) },
    history: {
      prune: unused,
      takePruneTurn: unused,
      report: async () => {},
      tallies: unused,
    },
    schedules: {
      find: async () => ({ now: Date.now(), schedules: [] }),
      due: async () => ({ now: 0, schedules: [], nextMs: null }),
      set: unused,
      pause: unused,
      resume: unused,
      remove: unused,
      fire: unused,
      noteBroken: unused,
    },
    jobs: {
      enqueue: unused,
      uniqueJobs: unused,
      list: answers.list ?? unused,
      entries: unused,
      count: unused,
      move: answers.move ?? unused,
      update: unused,
    },
    claims: {
      session: () => session,
      deferred: () => undefined,
      dueQueues: answers.dueQueues ?? (async ({ queues }) => queues),
      async survey() {
        surveys += 1;
        return answers.survey();
      },
      reclaim: answers.reclaim ?? (async () => ({ reclaimed: 0, missing: [], own: [], refused: [] })),
      startRuns: answers.startRuns ?? (() => receipt(NO_EARLIER_RUNS)),
      noteRun: unused,
    },
    workers: {
      list: unused,
      notify: unused,
      anchor: async () => ({
        workerId: '1',
        proof: 'session' as const,
        pushed: answers.pushed ?? true,
        async *wakeUps({ signal }) {
          yield {};
          if (answers.wakeUps !== undefined) yield* answers.wakeUps;
          if (signal.aborted) return;
          await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
        },
        report: async () => {},
        release: async () => {},
      }),
    },
    admission: {
      parts: answers.limitedParts ?? (async () => ({ parts: [], last: null })),
      jobs: unused,
      limits: unused,
      take: async (rates) => rates.map(() => 0),
      giveBack: async () => {},
      prune: async () => ({ last: null, refused: [] }),
      set: unused,
      pause: unused,
      resume: unused,
      pauses: async () => [],
    },
    followers: { admit: async () => ({ queues: [], last: null, skipped: false, refused: [] }) },
    expiry: { over: async () => [], cancel: unused },
    audit: { note: async () => '1', list: unused, prune: async () => 0 },
    close: async () => {},
    transaction: (work) => work({}),
    join: () => driver,
  };
  return {
    driver,
    get looks() {
      return looks;
    },
    get surveys() {
      return surveys;
    },
  };
}
