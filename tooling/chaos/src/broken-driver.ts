import type { Driver } from '@rowlock/core';
import { type ClaimSession, type Entities, sizesOf } from '@rowlock/core/driver';
import { instead } from './instead.js';

/** Promises that a driver can break, so that the checker can be seen to notice. */
export type Break = 'gives-back-early' | 'works-without-session' | 'admits-one-more';

export function broken<Tx>(driver: Driver<Tx>, how: Break): Driver<Tx> {
  if (how === 'gives-back-early') return givesBackEarly(driver);
  return how === 'admits-one-more' ? admitsOneMore(driver) : worksWithoutSession(driver);
}

/** `hold`: once the jobs are known, their locks are let go, and taken again only to settle. */
function givesBackEarly<Tx>(driver: Driver<Tx>): Driver<Tx> {
  const session: Driver<Tx>['claims']['session'] = (options) => {
    let now = driver.claims.session(options);
    let claimed: { entities: Entities; limit: number } | undefined;
    const takeAgain = async (): Promise<void> => {
      if (claimed) await now.lockSiblings(claimed.entities, claimed.limit);
    };
    const changed: Partial<ClaimSession<Tx>> = {
      async lockSiblings(entities, limit) {
        claimed = { entities, limit };
        const jobs = await now.lockSiblings(entities, limit);
        await now.rollback();
        now = driver.claims.session(options);
        return jobs;
      },
      async settle(settlements) {
        await takeAgain();
        return now.settle(settlements);
      },
      async finish(settlements) {
        await takeAgain();
        return now.finish(settlements);
      },
    };
    return instead(() => now, changed);
  };
  const claims = instead(() => driver.claims, { session });
  return instead(() => driver, { claims });
}

/** `lease`: the session that the worker's leases go by is gone, and the worker does not hear of it. */
function worksWithoutSession<Tx>(driver: Driver<Tx>): Driver<Tx> {
  const anchor: Driver<Tx>['workers']['anchor'] = async (worker) => {
    const gone = await driver.workers.anchor(worker);
    await gone.release();
    const hears = await driver.workers.anchor(worker);
    return instead(() => hears, { workerId: gone.workerId });
  };
  const workers = instead(() => driver.workers, { anchor });
  return instead(() => driver, { workers });
}

/** A limit lets in one run more than its jobs say. */
function admitsOneMore<Tx>(driver: Driver<Tx>): Driver<Tx> {
  const session: Driver<Tx>['claims']['session'] = (options) => {
    const own = driver.claims.session(options);
    return instead(() => own, {
      async claim(criteria) {
        for (const { name, max } of sizesOf(criteria.limits ?? ''))
          await driver.admission.set(name, { max: max + 1 }, 'broken');
        return own.claim(criteria);
      },
    });
  };
  const claims = instead(() => driver.claims, { session });
  return instead(() => driver, { claims });
}
