import type { Fault } from '@rowlock/core/driver';
import type { ScheduleView } from '@rowlock/core/types';
import { time } from '../output/values.js';
import type { Subject } from './subject.js';

/** A schedule that is so late has nobody who fires it. */
const LATE_MS = 60_000;

/** A pause of so long may have been forgotten: 30 days. */
const FORGOTTEN_MS = 30 * 86_400_000;

/** Looks for schedules that do not fire. */
export async function schedules({ rowlock }: Pick<Subject, 'rowlock'>): Promise<readonly Fault[]> {
  const now = Date.now();
  return (await rowlock.schedules.list()).flatMap((schedule) => faultOf(schedule, now));
}

function faultOf({ name, nextAt, pausedAt, pausedBy }: ScheduleView, now: number): readonly Fault[] {
  const why = 'Its jobs are not enqueued.';
  if (pausedAt !== null)
    return now - pausedAt.getTime() < FORGOTTEN_MS
      ? []
      : [
          {
            severity: 'warning',
            what: `The schedule ${name} is paused since ${time(pausedAt)}, by ${pausedBy}.`,
            why,
            remedy: 'Resume it, or remove it: `rowlock schedules resume`, `rowlock schedules remove`.',
          },
        ];
  if (nextAt === null)
    return [
      {
        severity: 'warning',
        what: `The schedule ${name} never fires again.`,
        why,
        remedy: 'Change its times, or remove it.',
      },
    ];
  if (now - nextAt.getTime() < LATE_MS) return [];
  return [
    {
      severity: 'broken',
      what: `The schedule ${name} should have fired at ${time(nextAt)}, and has not.`,
      why: `${why} Any live worker fires every schedule.`,
      remedy: 'Start a worker. If there is one, look at its log.',
    },
  ];
}
