import type { Driver, HeldTransaction, Job } from '@rowlock/core';
import { instead } from '../instead.js';
import type { Scenario } from './scenario.js';
import type { Twist } from './twist.js';

/** Something broken on purpose, where it is found, and what is then said. */
export interface KnownFault extends Twist {
  readonly name: string;
  readonly scenario: Scenario;
  readonly found: RegExp;
}

/** Changes each transaction that a driver begins. */
export function held<Tx>(
  driver: Driver<Tx>,
  change: (held: HeldTransaction<Tx>) => Partial<HeldTransaction<Tx>>,
): Driver<Tx> {
  return instead(driver, {
    begin: async (options) => {
      const begun = await driver.begin(options);
      return instead(begun, change(begun));
    },
  });
}

/** A driver whose sibling lock returns the claimed job, as far as that is of these kinds, and locks nothing. */
export function lockingNoSiblings<Tx>(driver: Driver<Tx>, kinds: readonly string[]): Driver<Tx> {
  return held(driver, (begun) => {
    let claimed: Job | undefined;
    return {
      claim: async (criteria) => {
        claimed = await begun.claim(criteria);
        return claimed;
      },
      lockSiblings: async (entity, limit) => {
        if (claimed === undefined || !kinds.includes(claimed.kind)) return begun.lockSiblings(entity, limit);
        return [claimed];
      },
    };
  });
}
