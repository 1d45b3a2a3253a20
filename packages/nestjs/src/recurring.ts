import { SetMetadata } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { EnqueueOptions, Json } from '@rowlock/core';
import type { ScheduleTimes } from '@rowlock/core/types';

const RECURRING = 'rowlock:recurring';

/** A schedule of `createRowlock({ schedules })` without its handler, which is the class. */
export type RecurringSchedule = Pick<
  EnqueueOptions<Json>,
  'payload' | 'key' | 'priority' | 'metadata' | 'attempts'
> &
  ScheduleTimes;

interface Declared {
  readonly use: NewableFunction;
  readonly schedules: readonly (readonly [name: string, schedule: RecurringSchedule])[];
}

/**
 * Enqueues jobs of a handler at times of their own. Beside `@JobHandler`, as often as needed. It is the same as an entry of
 * `schedules`: any worker fires it, once for each instant.
 *
 * @param name The schedule's name in the database.
 * @example
 * @Recurring('report.nightly', { cron: '0 3 * * *', timeZone: 'Europe/Berlin', payload: { of: 'yesterday' } })
 */
export function Recurring(name: string, schedule: RecurringSchedule): (use: NewableFunction) => void {
  return (use) => {
    const schedules = [[name, schedule] as const, ...schedulesOf(new Reflector(), use)];
    SetMetadata(RECURRING, { use, schedules } satisfies Declared)(use);
  };
}

/** The schedules that a class itself declares, by name. */
export function schedulesOf(reflector: Reflector, use: NewableFunction): Declared['schedules'] {
  const declared = reflector.get<Declared | undefined>(RECURRING, use);
  return declared?.use === use ? declared.schedules : [];
}
