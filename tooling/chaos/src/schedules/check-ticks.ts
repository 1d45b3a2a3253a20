import type { SimulatedSchedule } from './simulated-schedules.js';

/** The jobs of an instant, as the table has them. */
export interface FoundTick {
  readonly schedule: string;
  readonly atMs: number;
  readonly jobs: number;
}

export interface TickViolation {
  readonly what: 'missing' | 'doubled' | 'stray';
  /** A sentence. */
  readonly text: string;
}

/**
 * Proves that each tick after one time and up to another has exactly one job, or says what is wrong.
 *
 * - **missing**: an instant of a schedule has no job.
 * - **doubled**: an instant has several.
 * - **stray**: a job is of an instant that its schedule does not have, or that had not come.
 *
 * A schedule with jitter may have fired the instants that are closer to an end than its jitter, or not yet.
 */
export function checkTicks(
  schedules: readonly SimulatedSchedule[],
  found: readonly FoundTick[],
  from: number,
  to: number,
): TickViolation[] {
  const bySchedule = Map.groupBy(found, ({ schedule }) => schedule);
  const violations = schedules.flatMap((schedule) =>
    checkOne(schedule, bySchedule.get(schedule.name) ?? [], from, to),
  );
  const names = new Set(schedules.map(({ name }) => name));
  const strays = [...bySchedule.keys()].filter((name) => !names.has(name));
  return [
    ...violations,
    ...strays.map((name): TickViolation => ({ what: 'stray', text: `There is no schedule ${name}.` })),
  ];
}

function checkOne(
  { name, jitterMs, instants }: SimulatedSchedule,
  found: readonly FoundTick[],
  from: number,
  to: number,
): TickViolation[] {
  const tick = (at: number): string => `the tick of ${name} at ${new Date(at).toISOString()}`;
  const jobs = new Map(found.map(({ atMs, jobs }) => [atMs, jobs]));
  const possible = new Set(instants(from - jitterMs, to));
  return [
    ...[...possible]
      .filter((at) => at > from && at + jitterMs <= to && !jobs.has(at))
      .map((at): TickViolation => ({ what: 'missing', text: `${tick(at)} has no job` })),
    ...found
      .filter(({ jobs }) => jobs > 1)
      .map(({ atMs, jobs }): TickViolation => ({ what: 'doubled', text: `${tick(atMs)} has ${jobs} jobs` })),
    ...found
      .filter(({ atMs }) => !possible.has(atMs))
      .map(({ atMs }): TickViolation => ({ what: 'stray', text: `${tick(atMs)} is none of its own` })),
  ];
}
