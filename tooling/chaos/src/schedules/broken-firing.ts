import type { Driver } from '@rowlock/core';
import type { ScheduleStore } from '@rowlock/core/driver';
import { instead } from '../instead.js';

/** Ways to fire that a crash or a second process breaks, so that the checker can be seen to notice. */
export type BrokenFiring = 'moves-first' | 'enqueues-first';

/** Which move of a process its own crash follows, if it moves first. */
const CRASH_BEHIND = 5;

/** The driver, whose `fire` takes two transactions. */
export function brokenFiring<Tx>(driver: Driver<Tx>, how: BrokenFiring): Driver<Tx> {
  const move: ScheduleStore['fire'] = (firings) =>
    driver.schedules.fire(firings.map((firing) => ({ ...firing, jobs: [], wakeUps: [] })));

  let moves = 0;
  const fire: ScheduleStore['fire'] = async (firings) => {
    const moved = how === 'moves-first' ? await move(firings) : firings.map(({ name }) => name);
    if (how === 'moves-first' && moved.length > 0) moves += 1;
    // No kill from outside is sure to come between.
    if (moves === CRASH_BEHIND) process.kill(process.pid, 'SIGKILL');
    const jobs = firings.filter(({ name }) => moved.includes(name)).flatMap((firing) => firing.jobs);
    await driver.jobs.enqueue(jobs, []);
    return how === 'moves-first' ? moved : move(firings);
  };
  const schedules = instead(() => driver.schedules, { fire });
  return instead(() => driver, { schedules });
}
