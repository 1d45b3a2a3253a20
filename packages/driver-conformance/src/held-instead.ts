import type { Driver } from '@rowlock/core';
import type { HeldTransaction } from '@rowlock/core/driver';
import { instead } from './instead.js';

/** The driver, each of whose transactions has some of its members replaced. What is replaced in two verbs is so in `finish`. */
export function heldInstead<Tx>(
  driver: Driver<Tx>,
  change: (held: HeldTransaction<Tx>) => Partial<HeldTransaction<Tx>>,
): Driver<Tx> {
  return instead(driver, {
    begin: async (options) => {
      const begun = await driver.begin(options);
      const held = instead(begun, change(begun));
      return instead(held, {
        finish: async (settlements) => {
          const settled = await held.settle(settlements);
          if (settled.length === settlements.length) await held.commit();
          return settled;
        },
      });
    },
  });
}
