import type { Driver } from '@rowlock/core';
import type { ClaimSession } from '@rowlock/core/driver';
import { instead } from './instead.js';

/** The driver, each of whose claim sessions has some of its members replaced. What is replaced in two verbs is so in `finish`. */
export function claimInstead<Tx>(
  driver: Driver<Tx>,
  change: (session: ClaimSession<Tx>) => Partial<ClaimSession<Tx>>,
): Driver<Tx> {
  return instead(driver, {
    claims: {
      session: (options) => {
        const own = driver.claims.session(options);
        const session = instead(own, change(own));
        return instead(session, {
          finish: async (settlements, next) => {
            const settled = await session.settle(settlements);
            if (settled.length < settlements.length) return { settled, next: null };
            await session.commit();
            return { settled, next: next === undefined ? null : session.claim(next) };
          },
        });
      },
    },
  });
}
