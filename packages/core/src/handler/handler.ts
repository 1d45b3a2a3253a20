import type { StandardSchemaV1 } from '@standard-schema/spec';
import { type AnyLimitRule, checkLimitRule, type LimitRule } from '../admission/limit.js';
import { type Duration, milliseconds } from '../duration.js';
import { InvalidInputError } from '../errors.js';
import { checkAttempts, checkKinds, checkName, checkWhole, checkWord } from '../input.js';
import type { Backoff } from '../job/backoff.js';
import type { EnqueueOptions } from '../job/enqueue-options.js';
import type { Enqueued } from '../job/job.js';
import type { Json } from '../job/json.js';
import type { Tick } from '../job/tick.js';
import { checkOptions } from '../known-options.js';
import type { Logger } from '../logger.js';
import { shown } from '../shown.js';
import type { Operation } from '../update/operation.js';
import { type Codec, checkCodec } from './codec.js';
import { checkSchema, type Enqueueable, QUEUE } from './enqueueable.js';
import { checkOnFailed, type FailureHandler } from './on-failed.js';
import type { OutputOf, Returnable } from './outcome.js';

/** Code for one kind of job, and how its jobs are claimed, retried and bounded. Made by `defineHandler`. */
export interface Handler<Schema extends StandardSchemaV1 = StandardSchemaV1, Tx = unknown, Output = unknown>
  extends HandlerPolicy {
  readonly payload: Schema;
  readonly code: HandlerCode<StandardSchemaV1.InferOutput<Schema>, Tx>;
  /** What it was defined with, as this goes before the defaults of a program. */
  readonly own: HandlerDefaults;
  /** For the compiler alone, and never there. */
  readonly types?: { readonly output: Output };
}

/** A handler of any payload, as the registry keeps it. */
// biome-ignore lint/suspicious/noExplicitAny: a payload is checked by its own schema before its own code sees it.
export type AnyHandler<Tx> = Handler<any, Tx, unknown>;

/** A handler without its code. */
export interface HandlerPolicy {
  readonly kind: string;
  readonly queue: string;
  /** The most available jobs of the kind and key that one run takes. 1: not grouped. */
  readonly groupMax: number;
  /** The most keys whose jobs one run takes. */
  readonly groupKeys: number;
  /** How many jobs one transaction may claim. */
  readonly batch: number;
  readonly after: readonly string[];
  readonly claim: 'hold' | 'lease';
  /** Undefined: as the defaults of the program say that enqueues. */
  readonly attempts: number | undefined;
  readonly limit: AnyLimitRule | undefined;
  readonly backoff: Backoff;
  readonly onInvalidPayload: 'retry' | 'fail';
  readonly onFailed: FailureHandler | undefined;
  readonly codec: Codec | undefined;
  readonly timeoutMs: number;
}

/** Options of all handlers of a program. An option that a handler has itself goes before them. */
export type HandlerDefaults = {
  readonly [Option in 'attempts' | 'retry' | 'timeout' | 'onInvalidPayload' | 'onFailed']?:
    | HandlerOptions<StandardSchemaV1>[Option]
    | undefined;
};

/** A function that is called for each run, or a class that a container builds for each run. */
export type HandlerCode<Payload, Tx, Result = unknown> =
  | { readonly use: HandlerClass<Payload, Tx, Result> }
  // The last one: the compiler's message is about this one.
  | { readonly run: RunFunction<Payload, Tx, Result> };

export type RunFunction<Payload, Tx, Result = unknown> = (context: RunContext<Payload, Tx>) => Result;

// biome-ignore lint/suspicious/noExplicitAny: what a class's constructor takes is its container's affair.
type Built<Instance> = new (...dependencies: any[]) => Instance;

export type HandlerClass<Payload, Tx, Result = unknown> = Built<{ run: RunFunction<Payload, Tx, Result> }>;

/** The argument of a handler. */
export interface RunContext<Payload, Tx = unknown> {
  /** The jobs of this run in the order they were enqueued. One job, unless the handler is grouped. */
  readonly jobs: readonly [RunJob<Payload>, ...RunJob<Payload>[]];
  /** The first of `jobs`. */
  readonly job: RunJob<Payload>;
  /** The entity that the jobs are about. No other run has it now. Null if they have several keys: see `group`. */
  readonly key: string | null;
  /** The run's id. Runs that share a transaction share it: see `batch`. */
  readonly runId: string;
  /**
   * The transaction that settles: writes through it commit with the settlement, or not at all. With `hold` it is the
   * claim's own, open from the beginning. With `lease` it begins at its first use.
   */
  readonly tx: Tx;
  /**
   * Aborted on timeout, cancellation, a stopping worker and a lost claim; `signal.reason` is the reason. The handler
   * has 5 s to end after the abort. Pass the signal on to the handler's own calls.
   */
  readonly signal: AbortSignal;
  /** Milliseconds left until the timeout. */
  readonly timeLeft: () => number;
  /**
   * Adds a job through the run's transaction: it is there if what the run writes through `tx` is. Otherwise as
   * `rowlock.enqueue`. A call that the handler does not await is awaited by the run. After the run's end it rejects
   * with `TransactionOver`.
   */
  readonly enqueue: <Schema extends StandardSchemaV1>(
    handler: Enqueueable<Schema>,
    options: EnqueueOptions<StandardSchemaV1.InferInput<Schema>>,
  ) => Promise<Enqueued>;
  /** The same of up to 10,000 jobs of one kind, as `rowlock.enqueueMany`. */
  readonly enqueueMany: <Schema extends StandardSchemaV1>(
    handler: Enqueueable<Schema>,
    options: readonly EnqueueOptions<StandardSchemaV1.InferInput<Schema>>[],
  ) => Promise<readonly Enqueued[]>;
  /** Writes the run's progress outside its transaction, for others to see. */
  readonly progress: Progress;
  /** A log whose entries have the run, and the public id, queue, kind, key and attempt of `job`. */
  readonly log: Logger;
}

/**
 * Writes the run's progress, outside its transaction. Only the last value within 100 ms is written, and none after the
 * run's end. So a settled job may show a value that is not the last.
 */
export interface Progress {
  /** Replaces the progress. @throws InvalidInputError when it has more than 64 KiB. */
  (value: Json): void;
  /**
   * Changes a part of the progress. A run begins with none.
   *
   * @throws UpdateRefusedError, InvalidInputError; then the progress stays as it was.
   * @example
   * progress.update([increment('done'), append('failed', [id])]);
   */
  readonly update: (operations: readonly Operation[]) => void;
}

export interface RunJob<Payload> {
  readonly publicId: string;
  readonly queue: string;
  readonly kind: string;
  readonly key: string | null;
  readonly payload: Payload;
  /** 1 on the first attempt. Crashed runs count. */
  readonly attempt: number;
  /**
   * Runs of this job before this one, however they ended. Crashed, snoozed and released runs count, and runs before a
   * redrive. If more than 0, an earlier run may have left something outside the database.
   */
  readonly earlierRuns: number;
  readonly maxAttempts: number;
  /** As it was given. What a schedule has added is `tick`. */
  readonly metadata: { readonly [name: string]: Json };
  readonly createdAt: Date;
  /** How long it was due when it was claimed, by the database's clock, in milliseconds. */
  readonly waitedMs: number;
  /** The instant for which a schedule has enqueued the job. Null for other jobs. */
  readonly tick: Tick | null;
}

/** The input of `defineHandler`. */
export type HandlerDefinition<Schema extends StandardSchemaV1, Tx, Result> = HandlerOptions<Schema> &
  HandlerCode<StandardSchemaV1.InferOutput<Schema>, Tx, Result & Returnable<Result>>;

export interface HandlerOptions<Schema extends StandardSchemaV1> {
  /** The handler's name in the table: 1 to 128 characters. Keep it when the code moves. */
  readonly kind: string;
  /**
   * The queue of the handler's jobs. Default `default`. A job stays in the queue that it was enqueued into, and workers
   * look only into the queues of their handlers. So before the last handler leaves a queue, let all jobs there end, or move
   * them by `jobs.updateMany`, because jobs without a handler wait there without a warning. In two queues, jobs of one key
   * do not exclude each other.
   */
  readonly queue?: string;
  /**
   * Any Standard Schema (zod, valibot, arktype, …). The schema checks a payload as JSON, at the enqueue and again at
   * the claim: see `onInvalidPayload`. If the schema throws or rejects at the claim, the job is retried.
   */
  readonly payload: Schema;
  /**
   * Whether one run takes the available jobs of the kind and key together. The order is that of ids. The group ends
   * before the first job of the key that is of another kind. `max` is 1 to 100,000, and by default 1,000. A delayed job
   * stays for a later run. Default no.
   *
   * `keys`, 1 to 10,000: the run takes the groups of up to so many keys together, and jobs without a key. For handlers
   * that do much work at once for less than one by one. A short queue makes a small run. A job that was attempted
   * before is in a run of its key alone. Not with `batch`, `claim: 'lease'` or `limit`. Default 1.
   */
  readonly group?: boolean | { readonly max?: number; readonly keys?: number };
  /**
   * Kinds that go first: a job waits until every earlier job of these kinds with its key is settled. The handler's own
   * kind is allowed: then a job also waits for an earlier one that is between two attempts. Best written as
   * `[Create.kind]`: a misspelt kind has no jobs to wait for. Jobs without a key do not wait.
   */
  readonly after?: readonly string[];
  /**
   * How the claim is kept: `hold` or `lease`. Default `hold`. `hold`: by the open transaction and its row lock, for
   * handlers of seconds. `lease`: by a committed mark that lasts as long as the worker's session, for handlers of minutes.
   * With `lease`, `tx` begins at its first use, so use it last.
   */
  readonly claim?: 'hold' | 'lease';
  /**
   * How many jobs one transaction takes at most, each in a run of its own: 1 to 10,000. Default 1. Not with
   * `claim: 'lease'`.
   *
   * A slot of the worker claims these jobs together, runs them at the same time, and settles them in one statement. A
   * short queue makes a small batch. A job that fails does not harm the others. A slow job delays the commit of the
   * others. Runs that write through `tx` take turns. A run meets what earlier ones have left in the transaction or the
   * session: a temporary table, `SET LOCAL`.
   */
  readonly batch?: number;
  /**
   * How many runs of a name may go on at once, and how many may start in a time, in all processes together: one limit, or
   * several, or a function of the payload. Retries count too. The limits of a job are fixed at its enqueue. A job that
   * finds a limit reached stays `new`, costs no attempt, and holds up no other job. Not together with `batch`. Default:
   * none.
   */
  readonly limit?: LimitRule<StandardSchemaV1.InferInput<Schema>>;
  /** How many attempts a job has, 1 to 1,000. A crash counts as one. Default 5. */
  readonly attempts?: number;
  /** The pauses between the attempts. Default `{ base: '1s', factor: 2, cap: '1h' }`. */
  readonly retry?: RetryOptions;
  /**
   * What becomes of a job whose payload the schema refuses at the claim: `retry` or `fail`. Default `retry`. `retry`:
   * another version may take it, so the job waits by `retry` and costs no attempt. A day after its enqueue it ends as
   * `error`. `fail`: it ends as `error` at once.
   */
  readonly onInvalidPayload?: 'retry' | 'fail';
  /**
   * The handler of the jobs that follow from failures. Each job that ends as `error` adds one, in the transaction of its
   * settlement: with the failed job's key and metadata, and with a `FailedJob` as its payload. A job that is redriven and
   * fails again adds another one. Default: none.
   */
  readonly onFailed?: FailureHandler;
  /**
   * How payloads are kept in the table, e.g. encrypted. Keys, metadata, outputs and errors are kept in clear, and so are
   * payloads from SQL, captures and schedules. Default: as they are.
   */
  readonly codec?: Codec;
  /**
   * The time after which `signal` is aborted, at most 24 h. A handler that has not ended 5 s later is left behind: it loses its
   * transaction, and its job is retried. The checks of an asynchronous schema at the claim take from this time. Default
   * 30 s.
   */
  readonly timeout?: Duration;
}

export interface RetryOptions {
  /** The pause after the first attempt. Default 1 s. */
  readonly base?: Duration;
  /** The factor by which each further pause is longer, 1 to 100. Default 2. */
  readonly factor?: number;
  /** The longest pause. Default 1 h. */
  readonly cap?: Duration;
}

/**
 * `defineHandler` with the type of `tx` bound. A plugin for every database binds its own type parameter:
 * `const define: DefineHandler<Tx> = defineHandler`.
 */
export type DefineHandler<Tx> = <Schema extends StandardSchemaV1, Result>(
  definition: HandlerDefinition<Schema, Tx, Result>,
) => Handler<Schema, Tx, OutputOf<Result>>;

/**
 * Defines the handler of one kind.
 *
 * `tx` is `unknown` here. Each driver has a `defineHandler` that types it.
 *
 * @throws InvalidInputError when an option is of the wrong form.
 * @example
 * const Greet = defineHandler({
 *   kind: 'greet',
 *   payload: z.object({ name: z.string() }),
 *   run: ({ job }) => `Hello ${job.payload.name}`,
 * });
 */
export function defineHandler<Schema extends StandardSchemaV1, Result, Tx = unknown>(
  definition: HandlerDefinition<Schema, Tx, Result>,
): Handler<Schema, Tx, OutputOf<Result>> {
  checkDefinition(definition);
  const { kind, queue = QUEUE, payload, after = [], claim = 'hold' } = definition;
  const { attempts, retry, timeout, onInvalidPayload, onFailed } = definition;
  const own = { attempts, retry, timeout, onInvalidPayload, onFailed };
  checkName('queue', queue);
  checkKinds('after', after);
  checkWord('claim', claim, ['hold', 'lease']);
  if (attempts !== undefined) checkAttempts(attempts);
  checkSchema(kind, payload);
  checkLimitRule(definition);
  checkOnFailed(definition);
  checkCodec(definition);
  const group = groupOf(definition);
  return {
    kind,
    queue,
    payload,
    limit: definition.limit,
    after,
    claim,
    batch: batchOf(definition, group.keys),
    groupMax: group.max,
    groupKeys: group.keys,
    attempts,
    codec: definition.codec,
    ...policyOf(own),
    own,
    code: codeOf(kind, definition),
  };
}

/** @throws InvalidInputError */
export function policyOf({
  retry = {},
  timeout = '30s',
  onInvalidPayload = 'retry',
  onFailed,
}: HandlerDefaults): Pick<HandlerPolicy, 'backoff' | 'timeoutMs' | 'onInvalidPayload' | 'onFailed'> {
  const { base = '1s', factor = 2, cap = '1h' } = retry;
  checkWord('onInvalidPayload', onInvalidPayload, ['retry', 'fail']);
  if (!(factor >= 1 && factor <= 100))
    throw new InvalidInputError(`retry.factor must be from 1 to 100, not ${shown(factor)}.`);
  return {
    backoff: { baseMs: milliseconds(base, 'retry.base'), factor, capMs: milliseconds(cap, 'retry.cap') },
    timeoutMs: timeoutOf(milliseconds(timeout, 'timeout')),
    onInvalidPayload,
    onFailed,
  };
}

const OPTIONS: readonly string[] = [
  'kind',
  'queue',
  'payload',
  'group',
  'after',
  'claim',
  'batch',
  'attempts',
  'limit',
  'retry',
  'onInvalidPayload',
  'onFailed',
  'codec',
  'timeout',
  'run',
  'use',
] satisfies (keyof HandlerOptions<StandardSchemaV1> | 'run' | 'use')[];

export const RETRY_OPTIONS: readonly string[] = ['base', 'factor', 'cap'] satisfies (keyof RetryOptions)[];

/** Refuses a misspelt option, which JavaScript, or a spread, may pass. */
function checkDefinition(definition: HandlerOptions<StandardSchemaV1>): void {
  if (typeof definition !== 'object' || definition === null)
    throw new InvalidInputError('A handler is an object: defineHandler({ kind, payload, run }).');
  const { kind, retry = {} } = definition;
  checkName('kind', kind);
  const whose = `handler of ${JSON.stringify(kind)}`;
  checkOptions(`The ${whose}`, definition, OPTIONS);
  checkOptions(`retry of the ${whose}`, retry, RETRY_OPTIONS);
}

function timeoutOf(ms: number): number {
  if (ms >= 1 && ms <= 86_400_000) return ms;
  throw new InvalidInputError(`timeout must be from 1 ms to 24 h, not ${ms} ms.`);
}

function codeOf<Payload, Tx, Result>(
  kind: string,
  code: HandlerCode<Payload, Tx, Result>,
): HandlerCode<Payload, Tx, Result> {
  if ('use' in code && typeof code.use === 'function') return { use: code.use };
  if ('run' in code && typeof code.run === 'function') return { run: code.run };
  throw new InvalidInputError(
    `The handler of ${JSON.stringify(kind)} needs its code: \`run\`, a function, or \`use\`, a class.`,
  );
}

function groupOf({ group = false }: Pick<HandlerOptions<StandardSchemaV1>, 'group'>): {
  readonly max: number;
  readonly keys: number;
} {
  if (typeof group !== 'boolean' && (typeof group !== 'object' || group === null))
    throw new InvalidInputError('group must be true, false or { max, keys }.');
  if (typeof group === 'object') checkOptions('group', group, ['max', 'keys']);
  const { max = group === false ? 1 : 1_000, keys = 1 } = Object(group);
  checkWhole('group.max', max, 1, 100_000);
  checkWhole('group.keys', keys, 1, 10_000);
  return { max, keys };
}

/** How many jobs a transaction of the handler may claim. @throws InvalidInputError where they cannot share one. */
function batchOf({ batch = 1, claim, limit }: HandlerOptions<StandardSchemaV1>, keys: number): number {
  if (keys > 1 && batch !== 1)
    throw new InvalidInputError(
      'group.keys makes one run of what batch would run apart. Leave one of them out.',
    );
  const name = keys > 1 ? 'group.keys' : 'batch';
  const most = keys > 1 ? keys : batch;
  if (most === 1) return 1;
  const refused = (whose: string, why: string): InvalidInputError =>
    new InvalidInputError(`${name} is for ${whose}: ${why}. Leave one of them out.`);
  if (claim === 'lease') throw refused("claim: 'hold'", 'a lease is settled by itself');
  if (limit !== undefined)
    throw refused('handlers without a limit', 'each run needs slots and starts of its own');
  checkWhole('batch', most, 1, 10_000);
  return most;
}
