import { type Driver, isDriverError } from '@rowlock/core';
import { instead } from '../instead.js';
import type { Admissions } from './admissions.js';

/** The driver of an actor, of whose claims, slots, sizes and pauses `admissions` learns in the steps in which they happen. */
export function admitted<Tx>(driver: Driver<Tx>, actor: string, admissions: Admissions): Driver<Tx> {
  const entering = async <Result>(entry: Promise<Result>): Promise<Result> => {
    try {
      return await entry;
    } catch (error) {
      if (isDriverError(error, 'LimitReached')) admissions.refused(actor);
      throw error;
    }
  };
  return instead(driver, {
    admission: {
      set: async (name, numbers, by) => {
        await driver.admission.set(name, numbers, by);
        if (numbers?.max !== undefined) admissions.resizes(numbers.max);
      },
      pause: async (pause, mode) => {
        await driver.admission.pause(pause, mode);
        admissions.pauses(true);
      },
      resume: async (target) => {
        await driver.admission.resume(target);
        admissions.pauses(false);
      },
    },
    claims: {
      session: (options) => {
        const session = driver.claims.session(options);
        let leaving: string | undefined;
        const over = (): void => {
          admissions.leaves(session);
          leaving = undefined;
        };
        return instead(session, {
          claim: async (criteria) => {
            const jobs = await entering(session.claim(criteria));
            if (jobs.length > 0) admissions.claims(actor);
            if (jobs.length > 0 && criteria.limits) admissions.enters(actor, session);
            return jobs;
          },
          enterLimits: async (limits) => {
            await entering(session.enterLimits(limits));
            admissions.enters(actor, session);
          },
          lease: async (runId, jobs, forMs) => {
            await session.lease(runId, jobs, forMs);
            admissions.leases(session, runId);
          },
          leaveLimits: async (runId) => {
            await session.leaveLimits(runId);
            leaving = runId;
          },
          // Its next claim is a step of its own: see takeTurns.
          finish: async (settlements) => {
            const finished = await session.finish(settlements);
            if (finished.settled.length === settlements.length) over();
            return finished;
          },
          commit: async () => {
            await session.commit();
            if (leaving !== undefined) admissions.leaves(leaving);
            over();
          },
          release: (run) => session.release(run).then(over),
          rollback: () => session.rollback().then(over),
        });
      },
    },
  });
}
