import { DriverError, type Enqueued } from '@rowlock/core';
import { NEVER, type NewJob, newPublicId, type WakeUp } from '@rowlock/core/driver';
import { toText } from '../connection/pipeline/to-text.js';
import type { Context } from '../context.js';
import { noteExpiries } from '../expiry/expiry.js';
import { follow } from '../followers/admit.js';
import { answers } from '../query.js';
import { texts } from '../workers/texts.js';
import { type GivenJob, newJobs } from './given.js';
import type { Scope } from './scope.js';

/** How often a unique key may change hands while a job that needs it is enqueued. */
const MOST_TRIES = 10;

/** A job that is not enqueued yet, its id, and its position among the jobs that were passed. */
interface Place extends GivenJob {
  readonly place: number;
}

/** @throws DriverError, JobNotFoundError */
export async function enqueue(
  context: Context,
  scope: Scope,
  jobs: readonly NewJob[],
  wakeUps: readonly WakeUp[] = [],
  waitMs?: number,
): Promise<readonly Enqueued[]> {
  const hasMore = jobs.some(({ after, expires }) => after !== undefined || expires !== undefined);
  const isAtomic = !hasMore && (jobs.length <= 1 || jobs.every(({ unique }) => unique === null));
  // Otherwise some jobs would be inserted when the look-up of the others' keys fails, and the caller would count all as refused.
  return isAtomic
    ? enqueueAll(context, scope, jobs, wakeUps)
    : scope.atomically((inner) => enqueueAll(context, inner, jobs, wakeUps), waitMs);
}

async function enqueueAll(
  context: Context,
  scope: Scope,
  jobs: readonly NewJob[],
  wakeUps: readonly WakeUp[],
): Promise<readonly Enqueued[]> {
  const outcomes = new Array<Enqueued>(jobs.length);
  let open: Place[] = jobs.map((job, place) => ({ job, place, publicId: newPublicId() }));
  if (jobs.some(({ after }) => after !== undefined)) open = await followAll(context, scope, open);
  if (jobs.some(({ expires }) => expires !== undefined)) await noteExpiries(scope.on, context.sql, open);
  for (let tries = 0; open.length > 0; tries++) {
    if (tries === MOST_TRIES)
      throw new DriverError(
        'SerializationFailure',
        'A unique key passed from job to job, too often for this enqueue: try again.',
      );
    open = await insert(context, scope, open, outcomes, wakeUps);
    // The holder of the key may be settled before its look-up. The key is then free, so the insert is tried again.
    open = await findDuplicates(context, scope, open, outcomes);
  }
  return outcomes;
}

/** Jobs that have to wait for others are inserted with a time that does not come. */
async function followAll({ sql }: Context, { on }: Scope, open: Place[]): Promise<Place[]> {
  const waiting = await follow(on, sql, open);
  return open.map((each) =>
    waiting.has(each.publicId) ? { ...each, job: { ...each.job, available: { at: NEVER } } } : each,
  );
}

async function insert(
  { sql, channel }: Context,
  scope: Scope,
  open: Place[],
  outcomes: Enqueued[],
  wakeUps: readonly WakeUp[],
): Promise<Place[]> {
  const unique = open.some(({ job }) => job.unique !== null);
  const wakes = wakeUps.length > 0;
  const calls = wakes ? [channel, texts(wakeUps)] : [];
  const rows = await scope.sendAll<{ answer: string }>(
    pieces(open, scope.perStatement).map(
      (some) => () =>
        newJobs(some).map((given) => ({
          text: sql.enqueues.enqueue({ given: given.text, unique, wakes }),
          values: [...given.values, ...calls],
        })),
    ),
  );
  const inserted = unique ? new Set(rows.map(({ answer }) => answer)) : undefined;
  return open.filter(({ place, publicId }) => {
    if (inserted?.has(publicId) === false) return true;
    outcomes[place] = { outcome: 'enqueued', publicId };
    return false;
  });
}

async function findDuplicates(
  { sql }: Context,
  { on }: Scope,
  open: Place[],
  outcomes: Enqueued[],
): Promise<Place[]> {
  if (open.length === 0) return open;
  const rows = await answers<readonly [place: number, publicId: string]>(on, sql.enqueues.findDuplicates, [
    toText(open.map(({ job }) => job.kind)),
    toText(open.map(({ job }) => job.unique?.key ?? null)),
  ]);
  const found = new Map(rows.map(([place, publicId]) => [place - 1, publicId]));
  return open.filter(({ place }, index) => {
    const publicId = found.get(index);
    if (publicId === undefined) return true;
    outcomes[place] = { outcome: 'duplicate', publicId };
    return false;
  });
}

function pieces<Item>(items: readonly Item[], size: number): Item[][] {
  return Array.from({ length: Math.ceil(items.length / size) }, (_, place) =>
    items.slice(place * size, (place + 1) * size),
  );
}
