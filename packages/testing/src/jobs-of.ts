import {
  type Enqueueable,
  type Enqueued,
  InvalidInputError,
  type Json,
  type Rowlock,
  type Stored,
} from '@rowlock/core';
import { type NewJob, watchEnqueues } from '@rowlock/core/driver';
import type { StandardSchemaV1 } from '@standard-schema/spec';

/** A job that was enqueued, as it was written. */
export interface EnqueuedJob<Payload = Json> {
  readonly publicId: string;
  /** What the call answered. A `duplicate` was not written, and has the public id of the job that was there. */
  readonly outcome: Enqueued['outcome'];
  readonly kind: string;
  readonly queue: string;
  readonly key: string | null;
  readonly payload: Payload;
  readonly priority: number;
  /** In milliseconds. 0 with `runAt`. */
  readonly delayMs: number;
  readonly runAt: Date | null;
  readonly attempts: number;
  readonly uniqueKey: string | null;
  readonly metadata: { readonly [name: string]: Json };
  /** The public ids of the jobs that go first. */
  readonly after: readonly string[];
}

/**
 * What some work enqueues through a Rowlock, in the order of its calls. Also in transactions that are open, and in those that
 * are rolled back later. Without what handlers enqueue: a worker's runs are no part of the work.
 *
 * @throws What the work throws; InvalidInputError
 * @example
 * const [mail] = await jobsOf(rowlock, () => order(7));
 * expect(mail).toMatchObject({ kind: 'mail.send', payload: { order: 7 } });
 */
export function jobsOf<Tx>(rowlock: Rowlock<Tx>, work: () => unknown): Promise<readonly EnqueuedJob[]>;
/** The same of one handler's kind: `payload` has its type. */
export function jobsOf<Schema extends StandardSchemaV1, Tx>(
  rowlock: Rowlock<Tx>,
  handler: Enqueueable<Schema>,
  work: () => unknown,
): Promise<readonly EnqueuedJob<Stored<StandardSchemaV1.InferInput<Schema>>>[]>;
export async function jobsOf<Tx>(
  rowlock: Rowlock<Tx>,
  ...given: readonly [work: () => unknown] | readonly [handler: Enqueueable, work: () => unknown]
): Promise<readonly EnqueuedJob<unknown>[]> {
  const [handler, work] = given.length === 1 ? [undefined, given[0]] : given;
  if (typeof work !== 'function' || typeof Object(rowlock).enqueue !== 'function')
    throw new InvalidInputError(
      'jobsOf() takes a Rowlock and a function that enqueues, as jobsOf(rowlock, () => order(7)), with a handler between them for its kind alone.',
    );
  const jobs: EnqueuedJob[] = [];
  await recording(jobs, work, (by) => by === rowlock);
  return handler === undefined ? jobs : jobs.filter(({ kind }) => kind === handler.kind);
}

/** Adds to `jobs` what some work enqueues. @returns the work's result */
export function recording<Result>(
  jobs: EnqueuedJob[],
  work: () => Result,
  isMeant: (by: unknown) => boolean = () => true,
): Result {
  return watchEnqueues((rows, outcomes, by) => {
    if (!isMeant(by)) return;
    for (const [place, row] of rows.entries()) {
      const enqueued = outcomes[place];
      if (enqueued !== undefined) jobs.push(enqueuedJob(row, enqueued));
    }
  }, work);
}

function enqueuedJob(row: NewJob, { publicId, outcome }: Enqueued): EnqueuedJob {
  const { kind, queue, key, payload, priority, available, maxAttempts, unique, metadata, after = [] } = row;
  return {
    ...{ publicId, outcome, kind, queue, key, payload, priority },
    delayMs: 'inMs' in available ? available.inMs : 0,
    runAt: 'at' in available ? available.at : null,
    attempts: maxAttempts,
    uniqueKey: unique?.key ?? null,
    metadata,
    after,
  };
}
