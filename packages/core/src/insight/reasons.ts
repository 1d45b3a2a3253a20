import type { JobFacts, NamedJob } from '../driver/insight.js';
import { isSettled } from '../job/lifecycle.js';
import { namesIn } from '../job/limits-text.js';
import type { Cause, Reason } from './reason.js';
import { sentence } from './sentence.js';
import { isServed, servedIn } from './served.js';
import { laneOf, MOST_BEFORE, type Surroundings } from './surroundings.js';

/** All that keeps a job from running, in the order in which it has to end. */
export function* reasonsOf(job: JobFacts, around: Surroundings): Generator<Cause> {
  const { status, finishedAt, error, run, queue, kind, limits } = job;
  if (isSettled(status)) return yield { reason: 'settled', status, at: finishedAt, error };
  if (run !== null) return yield { reason: 'running', ...run };
  yield* ofItsTime(job, around);
  yield* ofPauses(job, around);
  if (!isServed(job, around.workers))
    yield { reason: 'unserved', queue, kind, servedIn: servedIn(kind, around.workers) };
  yield* ofItsKey(job, around);
  yield* around.limited.get(limits) ?? [];
  yield* ofTheQueue(job);
}

/** A cause, and what it says to people. */
export function spelled(cause: Cause): Reason {
  const blocks =
    cause.reason === 'earlier' ? cause.causes.some((each) => each.blocks) : cause.reason !== 'backlog';
  return { ...cause, blocks, text: sentence(cause) };
}

function* ofItsTime(job: JobFacts, { now }: Surroundings): Generator<Cause> {
  const { followed, due, availableAt, attempt, maxAttempts, error } = job;
  if (followed.jobs.length > 0) yield { reason: 'follows', ...followed };
  else if (!due || availableAt > now)
    yield { reason: 'delayed', until: availableAt, attempt, maxAttempts, error };
}

function* ofPauses({ queue, kind, limits }: JobFacts, { pauses }: Surroundings): Generator<Cause> {
  for (const { scope, name, until, reason: because, by, pausedAt: since } of pauses) {
    const stops = {
      all: [''],
      queue: [queue],
      kind: [kind],
      limit: scope === 'limit' ? namesIn(limits) : [],
    };
    if (stops[scope].includes(name)) yield { reason: 'paused', scope, name, until, because, by, since };
  }
}

/** What the other jobs of its key do. The first one's own reasons are named, and no other is before that. */
function* ofItsKey(job: JobFacts, around: Surroundings): Generator<Cause> {
  const { key, id, dependency } = job;
  if (key === null) return;
  const { first, held } = around.keys.get(laneOf(job)) ?? {};
  if (held !== undefined) yield { reason: 'key', key, job: held };
  else if (first !== undefined && first.id < id)
    yield { reason: 'earlier', key, job: named(first), causes: [...reasonsOf(first, around)].map(spelled) };
  if (dependency !== null) yield { reason: 'after', key, job: dependency };
}

function* ofTheQueue({ before }: JobFacts): Generator<Cause> {
  if (before > 0)
    yield { reason: 'backlog', jobs: Math.min(before, MOST_BEFORE), more: before > MOST_BEFORE };
}

function named({ publicId, kind }: NamedJob): NamedJob {
  return { publicId, kind };
}
