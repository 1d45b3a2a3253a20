import type { Fault } from '@rowlock/core/driver';
import { lasting } from '../output/values.js';
import type { Subject } from './subject.js';

/** From so much on, in milliseconds. */
const MUCH_MS = 2_000;

/** Compares the clock of the server with that of this machine. */
export async function clock({ driver }: Pick<Subject, 'driver'>, here = Date.now): Promise<readonly Fault[]> {
  const sent = here();
  const { now } = await driver.schedules.find(['-']);
  const answered = here();
  // The server has read its clock at some time between the two.
  const off = now < sent ? sent - now : Math.max(0, now - answered);
  if (off < MUCH_MS) return [];
  return [
    {
      severity: 'warning',
      what: `The clocks of this machine and of the server are ${lasting(off)} apart.`,
      why: 'Jobs with a `runAt` of this machine start too early or too late.',
      remedy: 'Have NTP set both.',
    },
  ];
}
