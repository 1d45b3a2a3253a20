import { setTimeout as sleep } from 'node:timers/promises';
import { type DeclaredLimits, type Limit, namedLimits } from '../admission/limit.js';
import type { AuditDetails } from '../driver/audit.js';
import { isDriverError } from '../driver/driver-error.js';
import type { JobUpdate, Updated } from '../driver/jobs.js';
import type { Duration } from '../duration.js';
import { IllegalTransitionError, InvalidInputError, JobNotFoundError } from '../errors.js';
import { checkClear } from '../handler/codec.js';
import { isSettledThrough } from '../handler/run-of-handle.js';
import { checkName, checkPriority, LIMITS } from '../input.js';
import { isObject, type Json } from '../job/json.js';
import { OUTSTANDING, SETTLED } from '../job/lifecycle.js';
import { limitsText } from '../job/limits-text.js';
import { checkNames } from '../job/metadata.js';
import { checkId } from '../job/public-id.js';
import { checkOptions } from '../known-options.js';
import { checkOperations } from '../update/check-operation.js';
import type { Operation } from '../update/operation.js';
import { set } from '../update/operations.js';
import type { CallOptions } from './call-options.js';
import type { Calls } from './calls.js';
import type { ClientStore } from './client-store.js';
import { jobLocked } from './move-job.js';
import { available } from './new-job.js';

/**
 * How long a locked job is tried, in a caller's transaction and otherwise, the pause before each further try, and how long that one may wait
 * for the lock, in milliseconds. Others that update the job have its lock for a millisecond or two each.
 */
const JOINED_MS = 50;
const PATIENCE_MS = 2_000;
const LOCKED_MS = 5;
const WAIT_MS = 200;

/**
 * @param isOwn Whether the transaction of the call holds the job for its run. Otherwise a job that runs is not changed.
 * @throws InvalidInputError
 */
export function metadataUpdate(operations: readonly Operation[], isOwn: boolean): JobUpdate {
  const checked = checkOperations(operations);
  for (const operation of checked) {
    if (operation.do === 'set' && operation.path.length === 0 && !isObject(operation.value))
      throw new InvalidInputError('metadata must be an object.');
    checkNames(namesIn(operation));
  }
  return {
    column: 'metadata',
    operations: checked,
    from: isOwn ? OUTSTANDING : ['new', ...SETTLED],
    mostBytes: LIMITS.metadataBytes,
  };
}

/** The members of the whole that an operation changes, as far as it names them. */
function namesIn(operation: Operation): readonly unknown[] {
  const [name] = operation.path;
  if (name !== undefined) return [name];
  if (operation.do === 'set') return Object.keys(Object(operation.value));
  return operation.do === 'merge' ? Object.keys(operation.patch) : [];
}

/** @throws InvalidInputError */
export function payloadUpdate(operations: readonly Operation[]): JobUpdate {
  return {
    column: 'payload',
    operations: checkOperations(operations),
    from: ['new'],
    mostBytes: LIMITS.payloadBytes,
  };
}

/** What to change of a waiting job. What is not named stays. */
export interface JobChanges {
  /**
   * The queue to which it moves. In two queues, jobs of one key do not exclude each other, and runs that go on stay where
   * they are. So pause the old queue first, and wait for its runs.
   */
  readonly queue?: string;
  /** Takes the place of the payload, as JSON. At most 1 MiB. The handler's schema checks it at the claim, and not here. */
  readonly payload?: Json;
  /** The instant before which the job does not start. */
  readonly runAt?: Date;
  /** How long to wait from now, by the database's clock. Not together with `runAt`. */
  readonly delay?: Duration;
  /** -32768 to 32767. Lower runs sooner. */
  readonly priority?: number;
  /** Takes the place of the job's limits. Null: none. */
  readonly limit?: Limit | string | readonly (Limit | string)[] | null;
}

const CHANGES: readonly string[] = [
  'queue',
  'payload',
  'runAt',
  'delay',
  'priority',
  'limit',
] satisfies (keyof JobChanges)[];

/**
 * @param declared The limits that plugins declare.
 * @throws InvalidInputError
 */
export function changesUpdate(changes: JobChanges, declared?: DeclaredLimits): JobUpdate {
  checkOptions('update()', changes, CHANGES);
  const { queue, payload, runAt, delay, priority, limit } = changes;
  if (Object.values(changes).every((value) => value === undefined))
    throw new InvalidInputError('update() takes something to change: { priority: -1 }.');
  if (queue !== undefined) checkName('queue', queue);
  if (priority !== undefined) checkPriority(priority);
  const operations = payload === undefined ? [] : [set([], payload)];
  const values = {
    ...(queue !== undefined && { queue }),
    ...(priority !== undefined && { priority }),
    ...((runAt !== undefined || delay !== undefined) && {
      available: available({ ...(runAt !== undefined && { runAt }), ...(delay !== undefined && { delay }) }),
    }),
    ...(limit !== undefined && { limits: limitsText(namedLimits(limit ?? [], ' of the job', declared)) }),
  };
  return { column: 'payload', operations, values, from: ['new'], mostBytes: LIMITS.payloadBytes };
}

/**
 * A call that changes a job, on record where an operator makes it.
 *
 * @param change Gets whether the transaction of the call settles the job.
 * @throws JobNotFoundError, IllegalTransitionError, UpdateRefusedError, InvalidInputError; DriverError `LockTimeout` if it stays locked
 */
export function changeJob<Tx>(
  calls: Calls<Tx>,
  publicId: string,
  call: CallOptions<Tx>,
  change: (isOwn: boolean) => JobUpdate,
  details: () => AuditDetails,
): Promise<'updated' | 'running'> {
  return calls.acting(call, async (tx, note) => {
    const known = checkId(publicId);
    const store = calls.store(tx);
    const isOwn = isSettledThrough(tx, known);
    const update = change(isOwn);
    if (update.column === 'payload') {
      // The caller's transaction holds the row's lock itself.
      if (isOwn) return 'running';
      if (update.operations.length > 0) checkClear(await store.find(known));
    }
    const updated = await updateJob(store, known, update);
    if (updated !== 'updated') return updated;
    await note?.({ action: 'update', scope: 'job', name: known, details: details() });
    // It may be due now, or have room.
    if (update.values !== undefined) await store.wake([{}]);
    return updated;
  });
}

export async function updateJob(
  store: Updating,
  publicId: string,
  update: JobUpdate,
): Promise<'updated' | 'running'> {
  const updated = await updateFree(store, publicId, update);
  switch (updated.outcome) {
    case 'updated':
    case 'running':
      return updated.outcome;
    case 'missing':
      throw new JobNotFoundError(publicId);
    case 'illegal':
      throw new IllegalTransitionError('update', publicId, updated.status);
    case 'locked':
      throw jobLocked('update', publicId);
  }
}

type Updating = Pick<ClientStore, 'list' | 'update' | 'isJoined'>;

/** Updates a job unless a run has it. Waits a while for another transaction that has it. */
export async function updateFree(
  store: Updating,
  publicId: string,
  update: JobUpdate,
): Promise<Updated | { readonly outcome: 'running' }> {
  const { isJoined } = store;
  const until = performance.now() + (isJoined ? JOINED_MS : PATIENCE_MS);
  for (let waitMs: number | undefined; ; waitMs = isJoined ? undefined : WAIT_MS) {
    const updated = await updateOrLocked(store, publicId, update, waitMs);
    if (updated.outcome === 'illegal' && updated.status === 'in-progress') return { outcome: 'running' };
    if (updated.outcome !== 'locked') return updated;
    if (await isHeld(store, publicId)) return { outcome: 'running' };
    if (performance.now() >= until) return updated;
    await sleep(LOCKED_MS);
  }
}

async function updateOrLocked(
  store: Pick<Updating, 'update'>,
  publicId: string,
  update: JobUpdate,
  waitMs: number | undefined,
): Promise<Updated> {
  try {
    return await store.update(publicId, update, waitMs);
  } catch (error) {
    if (waitMs !== undefined && isDriverError(error, 'LockTimeout')) return { outcome: 'locked' };
    throw error;
  }
}

/** Whether a run has the job, or another job of its key: a run locks all of them. */
async function isHeld(store: Pick<Updating, 'list'>, publicId: string): Promise<boolean> {
  const [job] = (await store.list({ publicIds: [publicId] }, { limit: 1, before: null })).jobs;
  if (job === undefined || job.status === 'in-progress') return job !== undefined;
  if (job.key === null) return false;
  const { queue, key } = job;
  const { jobs } = await store.list({ queue, key, status: 'in-progress' }, { limit: 1, before: null });
  return jobs.length > 0;
}
