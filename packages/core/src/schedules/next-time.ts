import { createHash } from 'node:crypto';
import { Cron } from 'croner';
import type { Timing } from '../driver/schedule-store.js';

/**
 * The first instant of a timing after a time, without the jitter. Null if there is none. Times are milliseconds since
 * 1970.
 *
 * @throws TypeError, RangeError when the expression is none.
 */
export function nextTime(timing: Timing, after: number): number | null {
  if ('cron' in timing) return cronOf(timing).nextRun(new Date(after))?.getTime() ?? null;
  const { everyMs, anchorMs } = timing;
  return anchorMs + (Math.floor((after - anchorMs) / everyMs) + 1) * everyMs;
}

/** The last instants of a timing up to a time, that one included, in order, without the jitter. */
export function lastTimes(timing: Timing, until: number, most: number): readonly number[] {
  if ('cron' in timing) {
    const runs = cronOf(timing).previousRuns(most, new Date(until + 1));
    return runs.map((run) => run.getTime()).reverse();
  }
  const { everyMs, anchorMs } = timing;
  const last = anchorMs + Math.floor((until - anchorMs) / everyMs) * everyMs;
  return Array.from({ length: most }, (_, place) => last - (most - 1 - place) * everyMs);
}

/** Croner's own timers are never used: the database's clock decides when a tick is due. */
function cronOf({ cron, timeZone }: { readonly cron: string; readonly timeZone: string }): Cron {
  return new Cron(cron, { timezone: timeZone, paused: true });
}

/** How long after its instants a schedule fires: always the same for one name, and spread over the names. */
export function jitterOf(name: string, { jitterMs }: Timing): number {
  if (jitterMs === 0) return 0;
  return createHash('sha256').update(name).digest().readUInt32BE() % (jitterMs + 1);
}
