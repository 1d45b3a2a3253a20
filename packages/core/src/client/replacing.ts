import { createHash } from 'node:crypto';
import { DriverError } from '../driver/driver-error.js';
import type { JobUpdate } from '../driver/jobs.js';
import { JobNotFoundError } from '../errors.js';
import { LIMITS } from '../input.js';
import type { Enqueued, NewJob } from '../job/job.js';
import { set } from '../update/operations.js';
import type { ClientStore } from './client-store.js';
import type { Replacing } from './on-duplicate.js';
import { updateFree } from './update-job.js';

/** How often the jobs of a unique key may change hands while one call looks at them. */
const MOST_TRIES = 20;

export interface ReplacingParts {
  readonly store: Pick<ClientStore, 'list' | 'update' | 'uniqueJobs' | 'isJoined' | 'wake'>;
  /** Whether the caller's transaction settles this job. It holds the row's lock itself. */
  readonly isOwn: (publicId: string) => boolean;
  readonly enqueue: (job: NewJob) => Promise<Enqueued>;
}

/** What became of a job that has one of the unique keys. */
type Met = 'replaced' | 'held' | 'gone';

/** How many jobs of a unique key may follow a run that has it. A second one waits only after a race of calls. */
const FOLLOW_UPS = 2;

/**
 * Changes the waiting job with this job's unique key, or enqueues the job. A run keeps its job's unique key, so the job
 * that follows it has another one, which is made of the first. Two jobs of a unique key may wait at once, if a run ends
 * while several calls replace its job. The next call then changes both. They run one after the other, because a job
 * without a key gets one.
 *
 * @throws DriverError
 */
export async function enqueueReplacing(
  parts: ReplacingParts,
  job: NewJob,
  replacing: Replacing,
): Promise<Enqueued> {
  const keys = job.unique === null ? [] : uniqueKeys(job.unique.key);
  const update = updateTo(job, replacing);
  for (let tries = 0; tries < MOST_TRIES; tries++) {
    const found = await parts.store.uniqueJobs(job.kind, keys);
    const met = new Map<string, Met>();
    for (const publicId of found)
      if (publicId !== null) met.set(publicId, await replace(parts, publicId, update));
    const [replaced] = withOutcome(met, 'replaced');
    if (replaced !== undefined) {
      // It may be due now.
      await parts.store.wake([{}]);
      return { outcome: 'replaced', publicId: replaced };
    }
    if (withOutcome(met, 'gone').length > 0) continue;
    const free = keys.find((_, place) => found[place] === null);
    const enqueued = await enqueueAfter(parts, keyed(job), free, withOutcome(met, 'held'));
    if (enqueued !== undefined) return enqueued;
  }
  throw new DriverError(
    'SerializationFailure',
    'A unique key passed from job to job, too often for this enqueue: try again.',
  );
}

/** Enqueues the job under a key that was free. Undefined if it no longer is, or if a job that it is to follow is gone. */
async function enqueueAfter(
  { enqueue }: ReplacingParts,
  job: NewJob,
  key: string | undefined,
  held: readonly string[],
): Promise<Enqueued | undefined> {
  const unique = key === undefined ? null : ({ key, scope: 'outstanding' } as const);
  try {
    const enqueued = await enqueue({ ...job, unique, ...(held.length > 0 && { after: held }) });
    if (enqueued.outcome !== 'enqueued') return undefined;
    return held.length === 0 ? enqueued : { ...enqueued, outcome: 'follow-up' };
  } catch (error) {
    if (held.length > 0 && error instanceof JobNotFoundError) return undefined;
    throw error;
  }
}

/** A job that another transaction has for long counts as held. */
async function replace({ store, isOwn }: ReplacingParts, publicId: string, update: JobUpdate): Promise<Met> {
  if (isOwn(publicId)) return 'held';
  const { outcome } = await updateFree(store, publicId, update);
  if (outcome === 'updated') return 'replaced';
  return outcome === 'running' || outcome === 'locked' ? 'held' : 'gone';
}

function updateTo({ payload, priority, limits, available }: NewJob, { latestMs }: Replacing): JobUpdate {
  return {
    column: 'payload',
    operations: [set([], payload)],
    values: {
      priority,
      limits,
      available,
      keepsWaiting: true,
      ...(latestMs !== undefined && { latestMs }),
    },
    from: ['new'],
    mostBytes: LIMITS.payloadBytes,
  };
}

/** The unique key, and those of its follow-ups. No caller has keys like these. */
function uniqueKeys(key: string): readonly string[] {
  const followUps = Array.from({ length: FOLLOW_UPS }, (_, n) => `follow-up ${n + 1} of ${hash(key)}`);
  return [key, ...followUps];
}

/** The job with a key, so that no two runs of its unique key are at the same time. */
function keyed(job: NewJob): NewJob {
  if (job.key !== null || job.unique === null) return job;
  const key = `${job.kind}: ${job.unique.key}`;
  return { ...job, key: key.length > LIMITS.keyCharacters ? hash(key) : key };
}

const hash = (text: string): string => createHash('sha256').update(text).digest('hex');

function withOutcome(met: ReadonlyMap<string, Met>, outcome: Met): readonly string[] {
  return [...met].flatMap(([publicId, each]) => (each === outcome ? publicId : []));
}
