import { type Driver, DriverError } from '@rowlock/core';
import type { HeldTransaction } from '@rowlock/core/driver';
import { instead } from '../instead.js';
import type { LostAnswer } from './scenario.js';

/** The driver, whose connection breaks once: after the server has committed, and before it could say so. */
export function losesAnswer<Tx>(driver: Driver<Tx>, to: LostAnswer): Driver<Tx> {
  let lost = false;
  const loses = (): void => {
    if (lost) return;
    lost = true;
    throw new DriverError('ConnectionLost', "The answer to the commit was lost, by the scenario's word.");
  };
  const losing = (held: HeldTransaction<Tx>): HeldTransaction<Tx> => {
    let settles = false;
    return instead(held, {
      lease: (runId, jobs, forMs) =>
        held.lease(runId, jobs, forMs).then(() => (to === 'lease' ? loses() : undefined)),
      lockLeased: (runId, jobs, isCommitted) => {
        settles = true;
        return held.lockLeased(runId, jobs, isCommitted);
      },
      commit: () => held.commit().then(() => (settles && to === 'settlement' ? loses() : undefined)),
    });
  };
  return instead(driver, { begin: async (options) => losing(await driver.begin(options)) });
}
