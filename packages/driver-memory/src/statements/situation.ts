import {
  type HeldJob,
  type HoldingRun,
  isSettled,
  type NamedJob,
  namesIn,
  type RateTime,
  rateOf,
  type Situation,
  type SituationQuestion,
} from '@rowlock/core/driver';
import { isFollower, type JobRow } from '../job-row.js';
import { isAlive } from './anchor.js';
import { isClaimable } from './claim.js';
import { outstanding } from './followers.js';
import { pausesOf } from './pauses.js';
import type { Place } from './place.js';
import { firstOutstanding, runsNow } from './siblings.js';

export function situation(place: Place, { publicId, after, most }: SituationQuestion): Situation | undefined {
  const { database, tx } = place;
  const { jobs } = database.tables;
  const job = jobs.findBy('publicId', publicId, tx)[0]?.value;
  if (job === undefined) return undefined;
  const { id, kind, queue, key, limits, status, due, attempt, maxAttempts } = job;
  const siblings = key === null ? [] : jobs.findBy('key', key, tx, (other) => other.id !== id);
  const now = database.clock.now();
  const available = siblings.map(({ value }) => value).filter((other) => runsNow(other, queue, now));
  const isPaused = pausesOf(place).kind;
  const before = jobs.findBy(
    'queue',
    queue,
    tx,
    (other) =>
      isClaimable(other, limits, now) &&
      (other.priority < job.priority || (other.priority === job.priority && other.id < id)) &&
      !isPaused(other.kind) &&
      runOf(place, other) === null,
  );
  const first =
    key === null ? undefined : firstOutstanding(place, { key, kinds: after, before: id, except: [] });
  const dependency = siblings.find(({ value }) => value.id === first)?.value;
  const earlier = available[0];
  return {
    now: new Date(now),
    publicId,
    kind,
    queue,
    key,
    limits,
    status,
    due,
    availableAt: new Date(job.availableAt),
    finishedAt: job.finishedAt === null ? null : new Date(job.finishedAt),
    attempt,
    maxAttempts,
    error: job.error === null ? null : JSON.parse(job.error),
    run: runOf(place, job),
    sibling: held(place, available)[0] ?? null,
    earlier: earlier === undefined || earlier.id > id ? null : named(earlier),
    dependency: dependency === undefined ? null : named(dependency),
    followed: followed(place, job),
    before: Math.min(most, before.length),
    rates: namesIn(limits).flatMap((name) => rateTime(place, name)),
  };
}

function held(place: Place, jobs: readonly JobRow[]): readonly HeldJob[] {
  return jobs.flatMap((job) => {
    const run = runOf(place, job);
    return run === null ? [] : [{ ...named(job), run }];
  });
}

/** The run that has a job: of a live worker, or by a lease. */
export function runOf(place: Place, { id, status, runId }: JobRow): HoldingRun | null {
  const { database, tx } = place;
  const last = database.tables.runs.findBy('jobId', id, tx).at(-1)?.value;
  if (isSettled(status)) return null;
  const alive = last?.finishedAt === null && isAlive(place, last.workerId);
  if (!alive && status === 'new') return null;
  const worker = last && database.tables.workers.findBy('id', last.workerId, tx)[0]?.value;
  return {
    runId: last?.runId ?? runId ?? '',
    worker: worker?.info.name ?? null,
    since: last === undefined ? null : new Date(last.startedAt),
    alive,
  };
}

/** The most jobs that are named for which a job waits. */
const MOST_NAMED = 10;

function followed(place: Place, job: JobRow): Situation['followed'] {
  const jobs = isFollower(job) ? outstanding(place, job.publicId) : [];
  return { jobs: jobs.slice(0, MOST_NAMED), more: jobs.length > MOST_NAMED };
}

export function rateTime({ database, tx }: Place, name: string): readonly RateTime[] {
  const { rates, limitSettings } = database.tables;
  const numbers = rateOf(limitSettings.findBy('name', name, tx)[0]?.value ?? {}) ?? null;
  return rates
    .findBy('name', name, tx)
    .map(({ value }) => ({ name, nextInUs: value.nextUs - database.clock.now() * 1_000, numbers }));
}

export function named({ publicId, kind }: JobRow): NamedJob {
  return { publicId, kind };
}
