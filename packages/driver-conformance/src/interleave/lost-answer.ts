import { type Driver, DriverError } from '@rowlock/core';
import { instead } from '../instead.js';
import type { LostAnswer } from './scenario.js';

/** The driver, whose connection breaks once: after the server has committed, and before its answer. */
export function losesAnswer<Tx>(driver: Driver<Tx>, to: LostAnswer): Driver<Tx> {
  let lost = false;
  const loses = (): void => {
    if (lost) return;
    lost = true;
    throw new DriverError('ConnectionLost', "The answer to the commit was lost, by the scenario's word.");
  };
  return instead(driver, {
    claims: {
      session: (options) => {
        const session = driver.claims.session(options);
        return instead(session, {
          lease: (runId, jobs, forMs) =>
            session.lease(runId, jobs, forMs).then(() => (to === 'lease' ? loses() : undefined)),
          // Only the settlement of a lease is committed by this verb.
          commit: () => session.commit().then(() => (to === 'settlement' ? loses() : undefined)),
        });
      },
    },
  });
}
