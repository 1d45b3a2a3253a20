import { setTimeout as sleep } from 'node:timers/promises';
import type { Driver } from '@rowlock/core';
import type { ScheduleStore } from '@rowlock/core/driver';
import { instead } from '../instead.js';

/** Ways to fire that a crash or a second process breaks, so that the checker can be seen to notice. */
export type BrokenFiring = 'moves-first' | 'enqueues-first';

/** The driver, whose `fire` takes two transactions. */
export function brokenFiring<Tx>(driver: Driver<Tx>, how: BrokenFiring): Driver<Tx> {
  const move: ScheduleStore['fire'] = (firings) =>
    driver.schedules.fire(firings.map((firing) => ({ ...firing, jobs: [], wakeUps: [] })));

  const fire: ScheduleStore['fire'] = async (firings) => {
    const moved = how === 'moves-first' ? await move(firings) : firings.map(({ name }) => name);
    // Long enough for a kill to come between.
    if (how === 'moves-first') await sleep(100);
    const jobs = firings.filter(({ name }) => moved.includes(name)).flatMap((firing) => firing.jobs);
    await driver.enqueue(jobs, []);
    return how === 'moves-first' ? moved : move(firings);
  };
  const schedules = instead(() => driver.schedules, { fire });
  return instead(() => driver, { schedules });
}
