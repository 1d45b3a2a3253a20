import { hostname } from 'node:os';
import { isDate } from 'node:util/types';
import type { StandardSchemaV1 } from '@standard-schema/spec';
import { type AnyLimitRule, type DeclaredLimits, limitsOfJob } from '../admission/limit.js';
import { MOST_FOLLOWED } from '../driver/followers.js';
import { type Duration, milliseconds } from '../duration.js';
import { InvalidInputError } from '../errors.js';
import { checkPayload } from '../handler/check-payload.js';
import { checkSchema } from '../handler/check-schema.js';
import { ATTEMPTS, QUEUE } from '../handler/defaults.js';
import { checkJson, checkKey, checkName, checkWhole, LIMITS } from '../input.js';
import type { NewJob } from '../job/job.js';
import type { Json } from '../job/json.js';
import { limitsText } from '../job/limits-text.js';
import { checkMetadata } from '../job/metadata.js';
import { checkOptions as checkKnown } from '../known-options.js';
import { shown } from '../shown.js';
import { checkId } from './check-id.js';
import { type Replacing, replacingOf, type Unique } from './on-duplicate.js';

const HOST = hostname();

/** The input of an enqueue. */
export interface EnqueueOptions<Payload> {
  /**
   * The handler's input, at most 1 MiB. Kept as JSON, and checked by its schema as JSON, at the enqueue and again at
   * the claim. A Date is text by then: `z.coerce.date()` accepts it, and `z.date()` does not.
   */
  readonly payload: Payload;
  /**
   * The entity the job is about, 1 to 512 characters. Jobs of one queue and key exclude each other. A job without a key
   * waits for no other job, and its handler's `group` and `after` do not apply to it.
   */
  readonly key?: string | null;
  /**
   * Lower runs sooner, -32768 to 32767. Ignored among jobs of one key, which start in the order of their ids. Default 0.
   */
  readonly priority?: number;
  /** How long to wait, by the database's clock. Default 0. */
  readonly delay?: Duration;
  /** The instant before which the job does not start. Not together with `delay`. */
  readonly runAt?: Date;
  /**
   * Refuses a second job of this kind with the same unique key, 1 to 512 characters. A string refuses it while the
   * first job is outstanding. Scope `'ever'` refuses it for as long as the first job is in the table.
   *
   * A running job is outstanding too. So a job that is enqueued during a run is a duplicate, though the run may have
   * read older data. If a run must follow the last change, do not use `unique`. Use `key` and a handler with `group`:
   * the next run takes all jobs that came during a run. Or use `onDuplicate`: the waiting job is replaced, and a job
   * that runs gets a follow-up. Not in an `enqueueMany` of several jobs.
   */
  readonly unique?: string | Unique | null;
  /**
   * Small facts about the job that are not its handler's input, e.g. the user. At most 64 KiB. The name `rowlock` is
   * Rowlock's own.
   */
  readonly metadata?: { readonly [name: string]: Json };
  /**
   * Public ids of jobs that go first, up to 1,000. The job starts when all of them have ended, in whatever state. Until
   * then its `availableAt` is in the year 9999. A job that is enqueued in an open transaction is known to this one alone.
   */
  readonly after?: readonly string[];
  /** The job's attempts, 1 to 1,000. Default: the handler's. */
  readonly attempts?: number;
}

/**
 * The part of a handler that an enqueue needs: the handler itself, or, in a program without its code, an object that
 * both programs share.
 *
 * @example
 * export const greet = { kind: 'greet', payload: z.object({ name: z.string() }) };
 * const Greet = defineHandler({ ...greet, run: ({ job }) => hello(job.payload.name) }); // where the worker is
 * await rowlock.enqueue(greet, { payload: { name: 'Ada' } }); // elsewhere
 */
export interface Enqueueable<Schema extends StandardSchemaV1 = StandardSchemaV1, Output = unknown> {
  readonly kind: string;
  /** The handler's. Default `default`. */
  readonly queue?: string;
  readonly payload: Schema;
  /** The handler's, 1 to 1,000. Default 5. */
  readonly attempts?: number;
  /** The handler's. Default: none. */
  readonly limit?: AnyLimitRule | undefined;
  /** For the compiler alone: a handler has the type of its output here. */
  readonly types?: { readonly output: Output };
}

/** @throws InvalidInputError */
export function checkEnqueueable(given: Enqueueable): void {
  if (typeof given !== 'object' || given === null)
    throw new InvalidInputError(
      'The first argument is a handler, or { kind, payload } with the schema of the payload.',
    );
  const { kind, queue, payload } = given;
  checkName('kind', kind);
  if (queue !== undefined) checkName('queue', queue);
  checkSchema(kind, payload);
}

/**
 * Validates the input and makes its row. A promise if the schema is asynchronous.
 *
 * @throws InvalidInputError, InvalidPayloadError
 */
export function newJob(
  handler: Enqueueable,
  options: EnqueueOptions<unknown>,
  declared?: DeclaredLimits,
): NewJob | Promise<NewJob> {
  checkOptions(options);
  const { key = null, priority = 0, attempts = handler.attempts ?? ATTEMPTS, metadata = {} } = options;
  if (key !== null) checkKey('key', key);
  checkWhole('priority', priority, -32_768, 32_767);
  checkWhole('attempts', attempts, 1, 1_000);
  const replacing = replacingIn(options);
  const payload = checkJson('payload', options.payload, LIMITS.payloadBytes);
  const job: Omit<NewJob, 'limits'> = {
    queue: handler.queue ?? QUEUE,
    kind: handler.kind,
    key,
    payload,
    priority,
    available: replacing?.quietMs === undefined ? available(options) : { inMs: replacing.quietMs },
    maxAttempts: attempts,
    unique: unique(options.unique),
    metadata: checkMetadata(metadata),
    createdBy: HOST,
    ...afterOf(options),
  };
  // As JSON, as at the claim: otherwise a Date would be accepted here and refused there.
  const checked: unknown = checkPayload(handler, payload);
  // A limit's function is written for a payload that the schema accepts.
  const limited = (): NewJob => ({
    ...job,
    limits: limitsText(limitsOfJob(handler, payload, key, declared)),
  });
  return checked instanceof Promise ? checked.then(limited) : limited();
}

/**
 * Refuses a transaction in the wrong place, which JavaScript may pass. Otherwise the job would be committed outside of
 * it, silently.
 */
function checkOptions(options: unknown): void {
  const given: object = Object(options);
  if ('tx' in given)
    throw new InvalidInputError(
      "tx is no option of the job's: pass it last, enqueue(handler, { payload }, { tx }).",
    );
  if (!('payload' in given))
    throw new InvalidInputError('payload is missing: enqueue(handler, { payload }).');
}

/** The names of an enqueue's options. */
export const ENQUEUE_OPTIONS: readonly string[] = [
  'payload',
  'key',
  'priority',
  'delay',
  'runAt',
  'unique',
  'metadata',
  'after',
  'attempts',
] satisfies (keyof EnqueueOptions<unknown>)[];

/** @throws InvalidInputError */
export function available({
  delay,
  runAt,
}: Pick<EnqueueOptions<unknown>, 'delay' | 'runAt'>): NewJob['available'] {
  if (runAt === undefined) return { inMs: milliseconds(delay ?? 0, 'delay') };
  if (delay !== undefined) throw new InvalidInputError('Pass delay or runAt, not both.');
  if (!isDate(runAt) || Number.isNaN(runAt.getTime())) {
    throw new InvalidInputError('runAt must be a valid Date.');
  }
  checkWhole('The year of runAt', runAt.getUTCFullYear(), 1970, 9999);
  return { at: runAt };
}

/** @throws InvalidInputError; JobNotFoundError for a text that is no public id. */
function afterOf({ after = [] }: Pick<EnqueueOptions<unknown>, 'after'>): Pick<NewJob, 'after'> {
  if (!Array.isArray(after)) throw new InvalidInputError('after must be a list of public ids.');
  checkWhole('The number of jobs in after', after.length, 0, MOST_FOLLOWED);
  return after.length === 0 ? {} : { after: [...new Set(after.map(checkId))] };
}

/** How the job replaces a waiting one. Undefined if it does not. @throws InvalidInputError */
function replacingIn({ unique, after, delay, runAt }: EnqueueOptions<unknown>): Replacing | undefined {
  if (typeof unique !== 'object' || unique === null) return undefined;
  const replacing = replacingOf(unique);
  if (replacing !== undefined && after !== undefined)
    throw new InvalidInputError(
      'after is for enqueues that keep duplicates. Leave after or onDuplicate out.',
    );
  if (replacing?.quietMs !== undefined && (delay !== undefined || runAt !== undefined))
    throw new InvalidInputError('A debounced job has its time by quiet. Leave delay and runAt out.');
  return replacing;
}

/**
 * How the one job of a call replaces a waiting one. Undefined if it does not.
 *
 * @throws InvalidInputError, also for several jobs: each step of a replacement commits by itself.
 */
export function replacingAlone(options: readonly EnqueueOptions<unknown>[]): Replacing | undefined {
  const [first, ...others] = options.map(replacingIn);
  if (others.length > 0 && [first, ...others].some((each) => each !== undefined))
    throw new InvalidInputError('enqueueMany() keeps duplicates: call enqueue() for a job with onDuplicate.');
  return first;
}

function unique(unique: EnqueueOptions<unknown>['unique']): NewJob['unique'] {
  if (unique === undefined || unique === null) return null;
  if (typeof unique !== 'string') checkKnown('unique', unique, ['key', 'scope', 'onDuplicate']);
  const { key, scope = 'outstanding' }: Unique = typeof unique === 'string' ? { key: unique } : unique;
  checkKey('unique.key', key);
  if (scope !== 'outstanding' && scope !== 'ever') {
    throw new InvalidInputError(`unique.scope must be 'outstanding' or 'ever', not ${shown(scope)}.`);
  }
  return { key, scope };
}
