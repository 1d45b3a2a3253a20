import { hostname } from 'node:os';
import type { Firing, Missed, SchedulePlan, ScheduleRow, Timing } from '../driver/schedule-store.js';
import type { NewJob } from '../job/job.js';
import { ownKeyOf, type Tick, withTick } from '../job/tick.js';
import { jitterOf, lastTimes, nextTime } from './next-time.js';
import { readPlan } from './read-plan.js';

/** A tick counts as on time for so long, in milliseconds, or for half the time to the next one if that is less. */
const GRACE_MS = 60_000;

/**
 * What a due schedule fires now, and when it fires next.
 *
 * @param now By the database's clock.
 * @throws when this program cannot compute the schedule's times, e.g. for want of its time zone.
 */
export function firingOf({ name, fingerprint, nextAt, ...row }: DueSchedule, now: number): Firing {
  const plan = readPlan({ name, ...row });
  const { timing, missed } = plan;
  const jitter = jitterOf(name, timing);
  const until = now - jitter;
  const next = nextTime(timing, until);
  const come = comeIn(timing, missed, { first: nextAt - jitter, until });
  const ticks = inTime(come, missed, { until, next }).map(
    (at): Tick => ({ schedule: name, scheduledFor: new Date(at), lateMs: Math.max(0, until - at) }),
  );
  return {
    name,
    at: nextAt,
    fingerprint,
    nextAt: next === null ? null : next + jitter,
    tickAt: come.at(-1) ?? nextAt - jitter,
    jobs: ticks.map((tick) => jobOf(name, plan, tick)),
    wakeUps: ticks.length === 0 ? [] : [{ queue: plan.job.queue }],
  };
}

export type DueSchedule = Pick<ScheduleRow, 'name' | 'plan' | 'fingerprint'> & { readonly nextAt: number };

interface Span {
  /** The instant that was next. It may be none of the timing's own: an operator may have set it. */
  readonly first: number;
  readonly until: number;
  readonly next: number | null;
}

/** The newest instants that have come, as many as may be fired. */
function comeIn(timing: Timing, missed: Missed, { first, until }: Omit<Span, 'next'>): readonly number[] {
  const most = typeof missed === 'object' ? missed.all.max : 1;
  const second = nextTime(timing, first);
  const isOne = second === null || second > until;
  const later = isOne ? [] : after(first, timing, until, most);
  return later.length < most ? [first, ...later] : later;
}

/** Those to fire: with `skip` the ones that are hardly late. */
function inTime(
  instants: readonly number[],
  missed: Missed,
  { until, next }: Omit<Span, 'first'>,
): readonly number[] {
  if (missed !== 'skip') return instants;
  return instants.filter(
    (at) => until - at <= Math.min(GRACE_MS, next === null ? GRACE_MS : (next - at) / 2),
  );
}

/** The last instants after the first one. As few are computed as there are, or a few more. */
function after(first: number, timing: Timing, until: number, most: number): readonly number[] {
  for (let count = Math.min(4, most); ; count = Math.min(4 * count, most)) {
    const last = lastTimes(timing, until, count);
    if (count === most || (last[0] ?? first) <= first) return last.filter((at) => at > first);
  }
}

/** The job of a tick. The unique key lets no second job of the schedule in while one is outstanding. */
export function jobOf(name: string, { job, overlap, timing }: SchedulePlan, tick: Tick): NewJob {
  const own = ownKeyOf(name);
  return {
    ...job,
    key: job.key ?? (overlap === 'queue' ? own : null),
    available: { at: new Date(tick.scheduledFor.getTime() + jitterOf(name, timing)) },
    unique: overlap === 'skip' ? { key: own, scope: 'outstanding' } : null,
    metadata: withTick(job.metadata, tick),
    createdBy: hostname(),
  };
}
