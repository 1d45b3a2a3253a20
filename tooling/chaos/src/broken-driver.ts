import type { Driver } from '@rowlock/core';
import type { ClaimSession, Entities } from '@rowlock/core/driver';

/** Promises that a driver can break, so that the checker can be seen to notice. */
export type Break = 'gives-back-early' | 'works-without-session';

export function broken<Tx>(driver: Driver<Tx>, how: Break): Driver<Tx> {
  return how === 'gives-back-early' ? givesBackEarly(driver) : worksWithoutSession(driver);
}

/** `hold`: once the jobs are known, their locks are let go, and taken again only to settle. */
function givesBackEarly<Tx>(driver: Driver<Tx>): Driver<Tx> {
  const claimSession: Driver<Tx>['claimSession'] = (options) => {
    let now = driver.claimSession(options);
    let claimed: { entities: Entities; limit: number } | undefined;
    const takeAgain = async (): Promise<void> => {
      if (claimed) await now.lockSiblings(claimed.entities, claimed.limit);
    };
    const changed: Partial<ClaimSession<Tx>> = {
      async lockSiblings(entities, limit) {
        claimed = { entities, limit };
        const jobs = await now.lockSiblings(entities, limit);
        await now.rollback();
        now = driver.claimSession(options);
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
  return instead(() => driver, { claimSession });
}

/** `lease`: the session that the worker's leases go by is gone, and the worker is not told. */
function worksWithoutSession<Tx>(driver: Driver<Tx>): Driver<Tx> {
  const anchor: Driver<Tx>['anchor'] = async (worker) => {
    const gone = await driver.anchor(worker);
    await gone.release();
    const hears = await driver.anchor(worker);
    return instead(() => hears, { workerId: gone.workerId });
  };
  return instead(() => driver, { anchor });
}

/** An object that is another one but for some of its members. */
function instead<T extends object>(of: () => T, changed: Partial<T>): T {
  return new Proxy(Object.create(null), {
    get(_, name) {
      const from = Reflect.has(changed, name) ? changed : of();
      const member: unknown = Reflect.get(from, name);
      return typeof member === 'function' ? member.bind(from) : member;
    },
  });
}
