import type { Fault } from '@rowlock/core/driver';
import type { ScheduleView } from '@rowlock/core/types';
import { time } from '../output/values.js';
import type { Subject } from './subject.js';

/** A schedule that is so late has nobody who fires it. */
const LATE_MS = 60_000;

/** A pause of so long may have been forgotten: 30 days. */
const FORGOTTEN_MS = 30 * 86_400_000;

/** A job of a schedule that is outstanding for so long, while ticks come, may never end: a day. */
const STUCK_MS = 86_400_000;

/** Looks for schedules that do not fire. */
export async function schedules({ rowlock }: Pick<Subject, 'rowlock'>): Promise<readonly Fault[]> {
  const now = Date.now();
  return (await rowlock.schedules.list()).flatMap((schedule) => faultOf(schedule, now));
}

function faultOf(schedule: ScheduleView, now: number): readonly Fault[] {
  const { name, nextAt, pausedAt, pausedBy, broken, skipped, firedAt } = schedule;
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
  if (broken !== null)
    return [
      {
        severity: 'broken',
        what: `The schedule ${name} cannot be fired. ${broken.error}`,
        why: `${why} Other schedules are fired all the same.`,
        remedy: 'Mend what the message names. Workers try it again by themselves, at least once a minute.',
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
  if (skipped !== null && skipped.lastTick.getTime() - (firedAt?.getTime() ?? 0) > STUCK_MS)
    return [
      {
        severity: 'warning',
        what: `The schedule ${name} skips its ticks: job ${skipped.job} was outstanding at ${time(skipped.lastTick)}.`,
        why: `Its last job was enqueued at ${time(firedAt)}. It has skipped ${skipped.count} ticks in all.`,
        remedy: 'Look why that job does not end: `rowlock explain`. Or cancel it.',
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
