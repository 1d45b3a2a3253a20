import type { StandardSchemaV1 } from '@standard-schema/spec';
import { type DeclaredLimits, limitsOfJob } from '../admission/limit.js';
import { InvalidInputError } from '../errors.js';
import type { Job, JobError, NewJob } from '../job/job.js';
import type { Json } from '../job/json.js';
import { limitsText } from '../job/limits-text.js';
import { givenMetadata } from '../job/metadata.js';
import { shown } from '../shown.js';
import { ATTEMPTS, checkEnqueueable, type Enqueueable, QUEUE } from './enqueueable.js';

/** The payload of a job that follows from a failed one: see `onFailed` of a handler. */
export interface FailedJob {
  /** The failed job's. So are the others. */
  readonly publicId: string;
  readonly queue: string;
  readonly kind: string;
  readonly key: string | null;
  /** As it is kept: one that a codec has encoded is encoded here too. */
  readonly payload: Json;
  /** How many attempts it had. A crash counts as one. */
  readonly attempts: number;
  readonly error: JobError;
}

/**
 * The schema of a `FailedJob`, for the handler of `onFailed`. A schema of one's own may say more of the payload.
 *
 * @example
 * const Report = defineHandler({ kind: 'mail.failed', payload: failedJob, run: ({ job }) => page(job.payload.error) });
 * const Mail = defineHandler({ kind: 'mail', payload: Letter, onFailed: Report, run: ({ job }) => send(job.payload) });
 */
export const failedJob: StandardSchemaV1<FailedJob, FailedJob> = {
  '~standard': {
    version: 1,
    vendor: 'rowlock',
    validate: (value) => {
      const { publicId, kind, error } = Object(value);
      const isFailed =
        typeof publicId === 'string' && typeof kind === 'string' && typeof Object(error).code === 'string';
      return isFailed ? { value: Object(value) } : { issues: [{ message: 'must be of a failed job' }] };
    },
  },
};

/** The handler of the jobs that follow from failures, or what an enqueue needs of it. */
export type FailureHandler = Enqueueable<StandardSchemaV1<FailedJob, unknown>>;

interface Failing {
  readonly kind: string;
  readonly onFailed?: FailureHandler | undefined;
}

/** What all jobs have in common that follow from the failures of one kind. */
export type FailureJob = Pick<NewJob, 'queue' | 'kind' | 'maxAttempts' | 'limits'>;

/** @throws InvalidInputError */
export function checkOnFailed({ kind, onFailed }: Failing): void {
  if (onFailed === undefined) return;
  const of = `onFailed of the handler of ${shown(kind)}`;
  if (typeof onFailed !== 'object' || onFailed === null)
    throw new InvalidInputError(
      `${of} must be a handler whose payload is failedJob, or { kind, payload: failedJob }.`,
    );
  checkEnqueueable(onFailed);
  if (typeof onFailed.limit === 'function')
    throw new InvalidInputError(
      `${of} has a limit that is a function, which no settlement calls: give ${shown(onFailed.kind)} a limit with a name.`,
    );
}

/**
 * What follows from failures, by the kind of the failed job.
 *
 * @throws InvalidInputError where failures would follow each other for ever
 */
export function failureJobs(
  handlers: readonly Failing[],
  declared: { readonly limits?: DeclaredLimits; readonly attempts?: number | undefined },
): ReadonlyMap<string, FailureJob> {
  const next = new Map(
    handlers.flatMap(({ kind, onFailed }) => (onFailed === undefined ? [] : [[kind, onFailed] as const])),
  );
  for (const kind of next.keys()) checkEnds(kind, next);
  return new Map(
    [...next].map(([kind, handler]) => [
      kind,
      {
        queue: handler.queue ?? QUEUE,
        kind: handler.kind,
        maxAttempts: handler.attempts ?? declared.attempts ?? ATTEMPTS,
        limits: limitsText(limitsOfJob(handler, null, null, declared.limits)),
      },
    ]),
  );
}

function checkEnds(kind: string, next: ReadonlyMap<string, FailureHandler>): void {
  const seen = new Set<string>();
  for (let at = next.get(kind); at !== undefined && !seen.has(at.kind); at = next.get(at.kind)) {
    seen.add(at.kind);
    if (at.kind === kind)
      throw new InvalidInputError(
        `onFailed leads from ${shown(kind)} back to ${shown(kind)}, so a job that always fails would go on for ever.`,
      );
  }
}

/** The job that follows from this failure. It has the failed job's key and metadata, so that it can be found by them. */
export function afterFailure(
  common: FailureJob,
  { publicId, queue, kind, key, payload, metadata }: Job,
  { attempts, error, by }: { readonly attempts: number; readonly error: JobError; readonly by: string },
): NewJob {
  const failed: FailedJob = { publicId, queue, kind, key, payload, attempts, error };
  return {
    ...common,
    key,
    payload: { ...failed, error: { ...error } },
    priority: 0,
    available: { inMs: 0 },
    unique: null,
    metadata: givenMetadata(metadata),
    createdBy: by,
  };
}
