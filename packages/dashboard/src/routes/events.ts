import type { LimitView, PauseView, ScheduleView, WorkerView } from '@rowlock/core/types';
import type { EventView } from '../views.js';
import type { Call } from './route.js';

const MINUTE_MS = 60_000;

/**
 * What may explain a change of the numbers, newest first, as far as it is on record: starts of workers, deploys among them,
 * and the pauses and settings that hold now.
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

/** A deploy starts many at nearly the same time: those of a minute and a version are one event. */
function startsOf(workers: readonly WorkerView[]): readonly EventView[] {
  const oldestFirst = workers.toSorted((one, other) => one.startedAt.getTime() - other.startedAt.getTime());
  const together = Map.groupBy(oldestFirst, ({ startedAt, version }) =>
    JSON.stringify([Math.floor(startedAt.getTime() / MINUTE_MS), version]),
  );
  return [...together.values()].flatMap((started) => {
    const [first] = started;
    if (first === undefined) return [];
    const earlier = oldestFirst.slice(0, oldestFirst.indexOf(first));
    return [{ at: first.startedAt, text: startSentence(started, first.version, earlier) }];
  });
}

/**
 * A version is deployed when its first worker on record starts, and others were there before. They are on record until an
 * hour after their end.
 */
function startSentence(
  started: readonly WorkerView[],
  version: string | null,
  earlier: readonly WorkerView[],
): string {
  const names = started.map(({ name }) => name).join(', ');
  const isNew = version !== null && earlier.length > 0 && earlier.every((each) => each.version !== version);
  if (isNew) return `Version ${version} was deployed: ${names} started.`;
  const of = version === null ? '' : ` of version ${version}`;
  return started.length === 1
    ? `The worker ${names}${of} started.`
    : `${started.length} workers${of} started: ${names}.`;
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
