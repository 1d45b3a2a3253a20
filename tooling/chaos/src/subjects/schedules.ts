import { defineSchedule, type Schedule } from '@rowlock/core';
import { z } from 'zod';
import type { SimulatedSchedule } from '../schedules/simulated-schedules.js';
import { each } from '../schedules/wall-clock.js';
import { ATTEMPTS, kindOf, queueOf, SUBJECT_MODES } from './kinds.js';

/** What fires while the faults strike. All ticks are fired, however late, and those that queue are run one after the other. */
export const SUBJECT_SCHEDULES: readonly (SimulatedSchedule & {
  readonly schedule: (version: number) => Schedule;
})[] = SUBJECT_MODES.flatMap((mode) => [one(mode, 1, 'allow'), one(mode, 5, 'queue')]);

function one(mode: (typeof SUBJECT_MODES)[number], seconds: number, overlap: 'allow' | 'queue') {
  const times = { every: seconds * 1_000 };
  const handler = {
    kind: kindOf(mode, 'tick'),
    queue: queueOf(mode),
    payload: z.object({ version: z.number() }),
  };
  return {
    name: `${mode}, each ${seconds} s`,
    times,
    jitterMs: 0,
    instants: each(seconds * 1_000),
    /** @param version Another one is another definition with the same times. */
    schedule: (version: number) =>
      defineSchedule({
        ...{ handler, payload: { version }, overlap, attempts: ATTEMPTS },
        ...{ missed: { all: { max: 1_000 } }, ...times },
      }),
  };
}
