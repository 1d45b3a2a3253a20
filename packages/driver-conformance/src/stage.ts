import { randomUUID } from 'node:crypto';
import type { Driver, JobError, JobView } from '@rowlock/core';
import type {
  Anchor,
  ClaimCriteria,
  ClaimSession,
  Job,
  Joined,
  Line,
  NewJob,
  Settlement,
  WorkerInfo,
} from '@rowlock/core/driver';
import { expect } from 'vitest';
import type {
  Caller,
  DriverProcess,
  JobRow,
  ProcessOptions,
  Reader,
  TestDatabase,
} from './driver-harness.js';
import { newJob } from './new-job.js';
import { createNotes, type Notes } from './notes.js';
import { GUARD_MS, within } from './until.js';

/** Before every job: no id is as low as 0. */
export const START: Line = { priority: -32_768, id: 0n };

/** The kind of a test's jobs, where it does not matter. */
export const KIND = 'work';

/** So long that no test meets it by accident. */
const IDLE_LIMIT_MS = 600_000;

/** What a test plays on: one database, a driver, and names of its own. What it opens is ended after it. */
export interface Stage<Tx> {
  readonly database: TestDatabase<Tx>;
  readonly reader: Reader;
  /** A driver that all tests share. */
  readonly driver: Driver<Tx>;
  /** A queue that no other test uses. */
  readonly queue: string;
  /** A key that no other test uses. */
  readonly key: string;
  /** Whether the test's workers lease what they claim, whatever their handlers say. */
  readonly workersLease?: true;

  /** One more database, fresh and empty. */
  createDatabase(): Promise<TestDatabase<Tx>>;

  /** One more driver, as in another process. */
  process(options?: ProcessOptions): Promise<DriverProcess<Tx>>;

  /** A job to be, in the test's queue, of the kind `work` and without a key. */
  newJob(change?: Partial<NewJob>): NewJob;
  /** Enqueues a job and returns its row. */
  put(change?: Partial<NewJob>): Promise<JobRow>;
  /** Enqueues jobs in one call and returns their rows in that order. */
  putMany(changes: readonly Partial<NewJob>[]): Promise<readonly JobRow[]>;

  /** A slot's connection, not taken yet. */
  claimSession(driver?: Driver<Tx>): ClaimSession<Tx>;
  caller(): Promise<Caller<Tx>>;
  /** Claims in the test's queue, from the start, the kind `work`, unless told otherwise. */
  claim(held: ClaimSession<Tx>, change?: Partial<ClaimCriteria>): Promise<Job | undefined>;
  /** The same of up to `limit` jobs. */
  claimMany(held: ClaimSession<Tx>, limit: number, change?: Partial<ClaimCriteria>): Promise<readonly Job[]>;
  /** Claims, and fails when there is nothing to claim. */
  take(held: ClaimSession<Tx>, change?: Partial<ClaimCriteria>): Promise<Job>;
  /** Claims the first job in a session of its own. */
  hold(change?: Partial<ClaimCriteria>, driver?: Driver<Tx>): Promise<{ held: ClaimSession<Tx>; job: Job }>;
  /** Settles in a session of its own the first job that can be claimed. */
  serve(change?: Partial<Settlement>, criteria?: Partial<ClaimCriteria>): Promise<Job>;

  /** The row, read past the driver. */
  row(job: { readonly publicId: string }): Promise<JobRow>;
  /** What the driver lists of one job. */
  view(job: { readonly publicId: string }, store?: Pick<Joined, 'jobs'>): Promise<JobView>;

  /** A table for what handlers write. Once in a test. */
  createNotes(): Promise<Notes<Tx>>;

  anchor(driver?: Driver<Tx>, info?: Partial<WorkerInfo>): Promise<Anchor>;

  /** Does this when the test has ended, however it did, and its transactions too. The last put off comes first. */
  defer(undo: () => Promise<unknown>): void;
}

/** What a job fails with, where it does not matter. */
const FAILURE: JobError = { code: 'E_CONFORMANCE', message: 'It failed.' };

/** How a job ended: completed by a run of its own, unless told otherwise. */
export function settlement(job: Pick<Job, 'id'>, change: Partial<Settlement> = {}): Settlement {
  return {
    id: job.id,
    runId: randomUUID(),
    event: 'complete',
    attempt: 1,
    crashes: 0,
    delayMs: 0,
    tookMs: 0,
    output: null,
    error: change.event === 'fail' || change.event === 'exhaust' ? FAILURE : null,
    by: 'conformance',
    ...change,
  };
}

/** Closes a process in good order; one that does not come to an end is killed, and that is a failure. */
export async function endProcess<Tx>(process: DriverProcess<Tx>): Promise<void> {
  try {
    await within('the driver is closed', process.close());
  } finally {
    await process.kill();
  }
}

/** Sets a stage for one test. `end` undoes what the test left behind. */
export function createStage<Tx>(
  database: TestDatabase<Tx>,
  driver: Driver<Tx>,
  createDatabase: () => Promise<TestDatabase<Tx>>,
): { readonly stage: Stage<Tx>; end(): Promise<void> } {
  const name = randomUUID().slice(0, 13);
  const queue = `queue-${name}`;
  const { reader } = database;
  const deferred: (() => Promise<unknown>)[] = [];
  const open: { rollback(): Promise<void> }[] = [];

  const stage: Stage<Tx> = {
    database,
    reader,
    driver,
    queue,
    key: `key-${name}`,
    createDatabase,

    async process(options) {
      const opened = await database.process(options);
      deferred.push(() => endProcess(opened));
      return opened;
    },

    newJob: (change = {}) =>
      newJob({ queue, kind: KIND, maxAttempts: 5, createdBy: 'conformance', ...change }),

    async put(change = {}) {
      const [row] = await stage.putMany([change]);
      if (row === undefined) throw new Error('The job that was enqueued is not in the table.');
      return row;
    },

    async putMany(changes) {
      const enqueued = await driver.jobs.enqueue(changes.map((change) => stage.newJob(change)));
      expect(enqueued.map(({ outcome }) => outcome)).toEqual(changes.map(() => 'enqueued'));
      return Promise.all(enqueued.map((job) => stage.row(job)));
    },

    claimSession(of = driver) {
      const session = of.claims.session({ idleLimitMs: IDLE_LIMIT_MS });
      open.push(session);
      return session;
    },

    async caller() {
      const caller = await database.caller();
      open.push(caller);
      return caller;
    },

    claim: async (held, change) => (await stage.claimMany(held, 1, change))[0],

    claimMany: (held, limit, change = {}) =>
      held.claim({ queue, kinds: [KIND], line: START, busy: [], ...change, limit }),

    async take(held, change) {
      const job = await stage.claim(held, change);
      if (job === undefined) throw new Error('There was nothing to claim.');
      return job;
    },

    async hold(change, of) {
      const held = stage.claimSession(of);
      return { held, job: await stage.take(held, change) };
    },

    async serve(change, criteria) {
      const { held, job } = await stage.hold(criteria);
      expect(await held.settle([settlement(job, change)])).toEqual([job.id]);
      await held.commit();
      return job;
    },

    async row({ publicId }) {
      const row = await reader.job(publicId);
      if (row === undefined) throw new Error(`There is no row of job ${publicId}.`);
      return row;
    },

    async view({ publicId }, store = driver) {
      const { jobs } = await store.jobs.list({ publicIds: [publicId] }, { limit: 1, before: null });
      const [view] = jobs;
      if (view === undefined) throw new Error(`Job ${publicId} is not listed.`);
      return view;
    },

    async anchor(of = driver, info = {}) {
      const anchor = await of.workers.anchor({
        name: `worker-${name}`,
        host: 'host',
        pid: 4711,
        queues: [queue],
        ...info,
      });
      deferred.push(() => anchor.release());
      return anchor;
    },

    createNotes: () =>
      createNotes(database, reader, `notes_${name.replaceAll('-', '_')}`, (undo) => stage.defer(undo)),

    defer: (undo) => void deferred.push(undo),
  };

  return {
    stage,
    async end() {
      // All at once: of two that wait for each other's locks, one alone could not end.
      const rollbacks = open.map((transaction) => within('a rollback', transaction.rollback()));
      const ended = await Promise.allSettled(rollbacks);
      const failures = ended.flatMap((each): unknown[] => (each.status === 'rejected' ? [each.reason] : []));
      for (const undo of deferred.reverse()) {
        // One that hangs must not keep the others from being done.
        const done = within('the end of what the test opened', undo(), 2 * GUARD_MS);
        await done.catch((error: unknown) => failures.push(error));
      }
      if (failures.length > 0) throw new AggregateError(failures, 'What a test opened could not be ended.');
    },
  };
}
