import { defineSchedule, type Schedule } from '@rowlock/core';
import { z } from 'zod';
import { daily, each } from './wall-clock.js';

const MINUTE_MS = 60_000;

/** A schedule, and what it has to fire. */
export interface SimulatedSchedule {
  readonly name: string;
  readonly times: Pick<Schedule, 'cron' | 'timeZone' | 'every' | 'jitter'>;
  /** At most so long after its instants it fires, in milliseconds. */
  readonly jitterMs: number;
  /** Its instants after one time and up to another, without the jitter. */
  readonly instants: (from: number, to: number) => readonly number[];
}

export const SCHEDULES: readonly SimulatedSchedule[] = [
  {
    name: 'each minute in Berlin',
    times: { cron: '* * * * *', timeZone: 'Europe/Berlin' },
    jitterMs: 0,
    instants: each(MINUTE_MS),
  },
  {
    name: 'each half hour on Lord Howe Island',
    times: { cron: '*/30 * * * *', timeZone: 'Australia/Lord_Howe' },
    jitterMs: 0,
    instants: each(30 * MINUTE_MS),
  },
  ...[
    nightly('Europe/Berlin', 2, 30),
    nightly('America/New_York', 1, 30),
    nightly('America/New_York', 2, 15),
    nightly('Australia/Lord_Howe', 2, 15),
    nightly('Pacific/Chatham', 2, 45),
    nightly('America/Santiago', 0, 0),
    nightly('Africa/Casablanca', 2, 30),
  ],
  { name: 'each 7 minutes', times: { every: '7m' }, jitterMs: 0, instants: each(7 * MINUTE_MS) },
  {
    name: 'each hour with jitter',
    times: { every: '1h', jitter: '45m' },
    jitterMs: 45 * MINUTE_MS,
    instants: each(60 * MINUTE_MS),
  },
];

function nightly(timeZone: string, hour: number, minute: number): SimulatedSchedule {
  return {
    name: `${hour}:${String(minute).padStart(2, '0')} in ${timeZone}`,
    times: { cron: `${minute} ${hour} * * *`, timeZone },
    jitterMs: 0,
    instants: daily(timeZone, 60 * hour + minute),
  };
}

/** As the code of a program declares them. @param version Of that code: each changes the rows of the other. */
export function declared(version: number): Readonly<Record<string, Schedule>> {
  const handler = { kind: 'tick', queue: 'ticks', payload: z.object({ version: z.number() }) };
  return Object.fromEntries(
    SCHEDULES.map(({ name, times }) => [
      name,
      defineSchedule({
        handler,
        payload: { version },
        missed: { all: { max: 1_000 } },
        overlap: 'allow',
        ...times,
      }),
    ]),
  );
}
