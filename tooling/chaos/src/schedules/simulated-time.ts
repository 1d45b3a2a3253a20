import type { Driver } from '@rowlock/core';
import type { ScheduleStore } from '@rowlock/core/driver';
import { instead } from '../instead.js';

/** A time that runs faster than the database's, in milliseconds since 1970. All of it lies in the past. */
export interface SimulatedTime {
  /** The database's time when the simulated one began. */
  readonly beganMs: number;
  readonly startMs: number;
  /** The simulated time stands still then. */
  readonly endMs: number;
  readonly speed: number;
}

/**
 * How late the earliest schedule may be: the time stands still until it has fired. A schedule keeps its newest 1,000 ticks,
 * and these are 720. So no tick is left out however long all processes are away.
 */
const LATEST_MS = 12 * 3_600_000;

/** How soon to look again while the time has not begun, in milliseconds. */
const NOT_YET_MS = 50;

/**
 * The driver, by whose `due` it is a simulated time. Its statements are the same. All times of a run lie in the past, so
 * `due` reads all schedules, and those that are later than the simulated time are left out here.
 *
 * @param timeNow Null until the time begins.
 */
export function inSimulatedTime<Tx>(driver: Driver<Tx>, timeNow: () => SimulatedTime | null): Driver<Tx> {
  const due: ScheduleStore['due'] = async (except, limit) => {
    const read = await driver.schedules.due(except, limit);
    const time = timeNow();
    if (time === null) return { ...read, schedules: [], nextMs: NOT_YET_MS };
    const times = read.schedules.flatMap(({ nextAt }) => nextAt ?? []);
    const now = timeOf(time, read.now, Math.min(...times));
    const next = Math.min(...times.filter((at) => at > now));
    return {
      now,
      schedules: read.schedules.filter(({ nextAt }) => nextAt !== null && nextAt <= now),
      nextMs: next > time.endMs ? null : (next - now) / time.speed,
    };
  };
  const schedules = instead(() => driver.schedules, { due });
  return instead(() => driver, { schedules });
}

function timeOf({ beganMs, startMs, endMs, speed }: SimulatedTime, realMs: number, first: number): number {
  return Math.floor(Math.min(startMs + (realMs - beganMs) * speed, first + LATEST_MS, endMs));
}
