import type { Clock } from '@rowlock/core';
import { systemClock } from '@rowlock/core/driver';

/** How much slower. A worker's second is half a minute. */
const FACTOR = 30;

/** Time in which whatever must be done within a second is done, however slow the machine is. */
export const slowClock: Clock = {
  now: () => systemClock.now() / FACTOR,
  after: (ms, callback) => systemClock.after(ms * FACTOR, callback),
};
