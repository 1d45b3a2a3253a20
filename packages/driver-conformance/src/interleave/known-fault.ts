import type { Driver } from '@rowlock/core';
import type { Job } from '@rowlock/core/driver';
import { claimInstead } from '../claim-instead.js';
import type { Breakage } from './breakage.js';
import type { Scenario } from './scenario.js';

/** Something broken on purpose, where it is found, and what is then said. */
export interface KnownFault extends Breakage {
  readonly name: string;
  readonly scenario: Scenario;
  readonly found: RegExp;
  /** The seed of the orders in which it is met early, on any database. Default: that of the run. */
  readonly seed?: number;
}

/** A driver whose sibling lock returns the claimed jobs, as far as those are of these kinds, and locks nothing. */
export function lockingNoSiblings<Tx>(driver: Driver<Tx>, kinds: readonly string[]): Driver<Tx> {
  return claimInstead(driver, (begun) => {
    let claimed: readonly Job[] = [];
    return {
      claim: async (criteria) => {
        claimed = await begun.claim(criteria);
        return claimed;
      },
      lockSiblings: async (entities, limit) => {
        if (!claimed.every(({ kind }) => kinds.includes(kind))) return begun.lockSiblings(entities, limit);
        return claimed;
      },
    };
  });
}
