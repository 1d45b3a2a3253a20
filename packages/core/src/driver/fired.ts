import type { Enqueued } from '../job/job.js';
import type { Firing } from './schedule-store.js';

/** What came of a firing. */
export interface Fired {
  readonly firing: Firing;
  /** Whether a job was enqueued. */
  readonly fires: boolean;
  /** The public id of the outstanding job that left the tick without one. */
  readonly skippedFor: string | null;
}

/** @param outcomes Those of the firings' jobs, in their order. */
export function firedOf(firings: readonly Firing[], outcomes: readonly Enqueued[]): readonly Fired[] {
  let place = 0;
  return firings.map((firing) => {
    const own = outcomes.slice(place, place + firing.jobs.length);
    place += own.length;
    const fires = own.some(({ outcome }) => outcome === 'enqueued');
    return { firing, fires, skippedFor: fires ? null : (own.at(-1)?.publicId ?? null) };
  });
}
