import { hostname } from 'node:os';
import { limitsOfJob } from '../admission/limit.js';
import { MOST_FOLLOWED } from '../driver/followers.js';
import { milliseconds } from '../duration.js';
import { InvalidInputError } from '../errors.js';
import { checkPayload } from '../handler/check-payload.js';
import { encoded } from '../handler/codec.js';
import type { Declared } from '../handler/defaults.js';
import { ATTEMPTS, checkEnqueueable, type Enqueueable, QUEUE } from '../handler/enqueueable.js';
import {
  checkAttempts,
  checkDate,
  checkJson,
  checkKey,
  checkPriority,
  checkWhole,
  checkWord,
  LIMITS,
} from '../input.js';
import type { EnqueueOptions, Unique } from '../job/enqueue-options.js';
import type { NewJob } from '../job/job.js';
import { limitsText } from '../job/limits-text.js';
import { checkMetadata } from '../job/metadata.js';
import { checkId } from '../job/public-id.js';
import { checkNoTick } from '../job/tick.js';
import { checkOptions } from '../known-options.js';
import { type Replacing, replacingOf } from './on-duplicate.js';

const HOST = hostname();

type Options = EnqueueOptions<unknown>;

/**
 * Validates the input and makes its row. A promise if the schema is asynchronous.
 *
 * @throws InvalidInputError, InvalidPayloadError
 */
export function newJob(
  handler: Enqueueable,
  options: Options,
  declared: Declared = {},
): NewJob | Promise<NewJob> {
  checkPlaces(options);
  const { key = null, priority = 0, metadata = {} } = options;
  const { attempts = handler.attempts ?? declared.attempts ?? ATTEMPTS } = options;
  if (key !== null) checkKey('key', key);
  checkPriority(priority);
  checkAttempts(attempts);
  const replacing = replacingIn(options);
  const payload = checkJson('payload', options.payload, LIMITS.payloadBytes);
  const job: Omit<NewJob, 'limits' | 'payload'> = {
    queue: handler.queue ?? QUEUE,
    kind: handler.kind,
    key,
    priority,
    available: replacing?.quietMs === undefined ? available(options) : { inMs: replacing.quietMs },
    maxAttempts: attempts,
    unique: unique(options.unique),
    metadata: checkMetadata(metadata),
    createdBy: HOST,
    ...afterOf(options),
    ...expiresOf(options),
  };
  // As JSON, as at the claim: otherwise a Date would be accepted here and refused there.
  const checked: unknown = checkPayload(handler, payload);
  // A limit's function is written for a payload that the schema accepts.
  const limited = (): NewJob => ({
    ...job,
    payload: encoded(handler, payload),
    limits: limitsText(limitsOfJob(handler, payload, key, declared.limits)),
  });
  return checked instanceof Promise ? checked.then(limited) : limited();
}

/**
 * The rows of the inputs. A promise if the schema is asynchronous. Most schemas are synchronous: then the caller's
 * statement is sent at once.
 *
 * @throws InvalidInputError, InvalidPayloadError
 */
export function newJobs(
  handler: Enqueueable,
  options: readonly Options[],
  declared?: Declared,
): readonly NewJob[] | Promise<readonly NewJob[]> {
  checkEnqueueable(handler);
  const jobs: (NewJob | Promise<NewJob>)[] = [];
  try {
    for (const each of options) {
      jobs.push(newJob(handler, each, declared));
      checkOptions('enqueue()', each, ENQUEUE_OPTIONS);
    }
  } catch (error) {
    // Checks still on their way may reject too. Without a handler, such a rejection would be unhandled.
    void Promise.allSettled(jobs);
    throw error;
  }
  return jobs.every((job): job is NewJob => !(job instanceof Promise)) ? jobs : Promise.all(jobs);
}

/**
 * Refuses a transaction in the wrong place, which JavaScript may pass. Otherwise the job would be committed outside of
 * it, silently.
 */
function checkPlaces(options: unknown): void {
  const given: object = Object(options);
  if ('tx' in given)
    throw new InvalidInputError(
      "tx is no option of the job's: pass it last, enqueue(handler, { payload }, { tx }).",
    );
  if (!('payload' in given))
    throw new InvalidInputError('payload is missing: enqueue(handler, { payload }).');
}

/** The names of an enqueue's options. */
const ENQUEUE_OPTIONS: readonly string[] = [
  'payload',
  'key',
  'priority',
  'delay',
  'runAt',
  'unique',
  'metadata',
  'after',
  'expires',
  'attempts',
] satisfies (keyof Options)[];

/** @throws InvalidInputError */
export function available({ delay, runAt }: Pick<Options, 'delay' | 'runAt'>): NewJob['available'] {
  if (runAt === undefined) return { inMs: milliseconds(delay ?? 0, 'delay') };
  if (delay !== undefined) throw new InvalidInputError('Pass delay or runAt, not both.');
  checkDate('runAt', runAt);
  return { at: runAt };
}

/** @throws InvalidInputError; JobNotFoundError for a text that is no public id. */
function afterOf({ after = [] }: Pick<Options, 'after'>): Pick<NewJob, 'after'> {
  if (!Array.isArray(after)) throw new InvalidInputError('after must be a list of public ids.');
  checkWhole('The number of jobs in after', after.length, 0, MOST_FOLLOWED);
  return after.length === 0 ? {} : { after: [...new Set(after.map(checkId))] };
}

/** @throws InvalidInputError */
function expiresOf({ expires, delay }: Pick<Options, 'expires' | 'delay'>): Pick<NewJob, 'expires'> {
  if (expires === undefined) return {};
  if (expires instanceof Date) {
    checkDate('expires', expires);
    return { expires: { at: expires } };
  }
  const inMs = milliseconds(expires, 'expires');
  if (inMs <= milliseconds(delay ?? 0, 'delay'))
    throw new InvalidInputError('expires must be later than delay: no run would ever begin.');
  return { expires: { inMs } };
}

/** How the job replaces a waiting one. Undefined if it does not. @throws InvalidInputError */
function replacingIn({ unique, after, expires, delay, runAt }: Options): Replacing | undefined {
  if (typeof unique !== 'object' || unique === null) return undefined;
  const replacing = replacingOf(unique);
  const other = after !== undefined ? 'after' : expires !== undefined ? 'expires' : undefined;
  if (replacing !== undefined && other !== undefined)
    throw new InvalidInputError(
      `${other} is for enqueues that keep duplicates. Leave ${other} or onDuplicate out.`,
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
export function replacingAlone(options: readonly Options[]): Replacing | undefined {
  const [first, ...others] = options.map(replacingIn);
  if (others.length > 0 && [first, ...others].some((each) => each !== undefined))
    throw new InvalidInputError('enqueueMany() keeps duplicates: call enqueue() for a job with onDuplicate.');
  return first;
}

function unique(unique: Options['unique']): NewJob['unique'] {
  if (unique === undefined || unique === null) return null;
  if (typeof unique !== 'string') checkOptions('unique', unique, ['key', 'scope', 'onDuplicate']);
  const { key, scope = 'outstanding' }: Unique = typeof unique === 'string' ? { key: unique } : unique;
  checkKey('unique.key', key);
  checkNoTick(key);
  checkWord('unique.scope', scope, ['outstanding', 'ever']);
  return { key, scope };
}
