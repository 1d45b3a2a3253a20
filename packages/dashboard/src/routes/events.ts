import type { LimitView, PauseView, ScheduleView, WorkerView } from '@rowlock/core/types';
import type { EventView } from '../views.js';
import type { Call } from './route.js';

const MINUTE_MS = 60_000;

/**
 * What may explain a change of the numbers, newest first, as far as it is on record: starts of workers, and the pauses and
 * settings that hold now.
 */
export async function events({ rowlock }: Call): Promise<readonly EventView[]> {
  const [workers, pauses, limits, schedules] = await Promise.all([
    rowlock.insight.workers(),
    rowlock.jobs.pauses(),
    rowlock.limits.list(),
    rowlock.schedules.list(),
  ]);
  return [
    ...startsOf(workers),
    ...pauses.map(pauseIn),
    ...limits.flatMap(settingOf),
    ...schedules.flatMap(changesOf),
  ].sort((one, other) => other.at.getTime() - one.at.getTime());
}

/** A deploy starts many at nearly the same time: those of a minute are one event. */
function startsOf(workers: readonly WorkerView[]): readonly EventView[] {
  const byMinute = Map.groupBy(workers, ({ startedAt }) => Math.floor(startedAt.getTime() / MINUTE_MS));
  return [...byMinute.values()].map((started) => {
    const [first] = started.toSorted((one, other) => one.startedAt.getTime() - other.startedAt.getTime());
    const names = started.map(({ name }) => name).join(', ');
    return {
      at: first?.startedAt ?? new Date(0),
      text:
        started.length === 1
          ? `The worker ${names} started.`
          : `${started.length} workers started: ${names}.`,
    };
  });
}

function pauseIn({ scope, name, pausedAt, by, reason }: PauseView): EventView {
  const what = scope === 'all' ? 'All work' : `The ${scope} ${name}`;
  return { at: pausedAt, text: `${what} was paused by ${by}${reason === null ? '.' : `: ${reason}`}` };
}

function settingOf({ name, setAt, setBy }: LimitView): readonly EventView[] {
  return setAt === null ? [] : [{ at: setAt, text: `The limit ${name} was set by ${setBy}.` }];
}

function changesOf({ name, updatedAt, updatedBy, pausedAt, pausedBy }: ScheduleView): readonly EventView[] {
  const set = { at: updatedAt, text: `The schedule ${name} was set by ${updatedBy}.` };
  return pausedAt === null
    ? [set]
    : [set, { at: pausedAt, text: `The schedule ${name} was paused by ${pausedBy}.` }];
}
