import { deepFreeze } from '../deep-freeze.js';
import type { NewJob } from '../job/job.js';
import type { Json } from '../job/json.js';
import { checkMetadata } from '../job/metadata.js';

/** A call of `enqueue` or `enqueueMany`. Its jobs are checked, and not written yet. All of it is frozen. */
export interface EnqueueCall {
  readonly kind: string;
  readonly queue: string;
  /** The jobs of the call, in its order. */
  readonly jobs: readonly [CalledJob, ...CalledJob[]];
  /** The first of `jobs`. */
  readonly job: CalledJob;
}

/** A job to be written. */
export interface CalledJob {
  readonly key: string | null;
  /** A copy: a change of it changes nothing. As it is kept, so it may be encoded. */
  readonly payload: Json;
  readonly metadata: { readonly [name: string]: Json };
  /**
   * Adds to the metadata. A name that is there gets the new value.
   *
   * @throws InvalidInputError when it is not JSON, or when all of the metadata has more than 64 KiB.
   */
  addMetadata(more: { readonly [name: string]: Json }): void;
}

/** The jobs of a call while plugins may add to them. */
export class PendingCall implements EnqueueCall {
  readonly kind: string;
  readonly queue: string;
  readonly jobs: readonly [PendingJob, ...PendingJob[]];

  constructor([first, ...rest]: readonly [NewJob, ...NewJob[]]) {
    this.kind = first.kind;
    this.queue = first.queue;
    // Each caller's outcome is at the place of its job.
    this.jobs = Object.freeze([new PendingJob(first), ...rest.map((row) => new PendingJob(row))] as const);
    Object.freeze(this);
  }

  get job(): PendingJob {
    return this.jobs[0];
  }

  /** What is to be written. */
  get rows(): readonly NewJob[] {
    return this.jobs.map(({ row }) => row);
  }
}

class PendingJob implements CalledJob {
  #row: NewJob;

  constructor(row: NewJob) {
    this.#row = { ...row, metadata: deepFreeze(row.metadata) };
    Object.freeze(this);
  }

  get row(): NewJob {
    return this.#row;
  }

  get key(): string | null {
    return this.#row.key;
  }

  get payload(): Json {
    return structuredClone(this.#row.payload);
  }

  get metadata(): NewJob['metadata'] {
    return this.#row.metadata;
  }

  addMetadata(more: NewJob['metadata']): void {
    this.#row = { ...this.#row, metadata: deepFreeze(checkMetadata({ ...this.#row.metadata, ...more })) };
  }
}
