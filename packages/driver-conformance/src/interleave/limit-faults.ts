import { claimInstead } from '../claim-instead.js';
import { instead } from '../instead.js';
import type { KnownFault } from './known-fault.js';
import { limitScenarios as scenarios } from './limit-scenarios.js';

const resizesNothing: KnownFault = {
  name: 'a smaller size that no claim sees',
  scenario: scenarios.reduced,
  found: /was admitted though 1 of 1 slots were taken/,
  driver: (driver) => instead(driver, { admission: { set: async () => {} } }),
};

const keepsSlots: KnownFault = {
  name: 'a settled lease that keeps its slots',
  scenario: scenarios.limitedLeases,
  found: /was refused though 0 of 1 slots were taken/,
  driver: (driver) => claimInstead(driver, () => ({ leaveLimits: async () => {} })),
};

const pausesNothing: KnownFault = {
  name: 'a pause that no claim sees',
  scenario: scenarios.paused,
  found: /claimed while the queue was paused/,
  driver: (driver) => instead(driver, { admission: { pause: async () => {} } }),
};

const updatesNothing: KnownFault = {
  name: 'an update that is not written',
  scenario: scenarios.updated,
  found: /updates of first there are 0/,
  driver: (driver) => instead(driver, { jobs: { update: async () => ({ outcome: 'updated' }) } }),
};

/** Where limits, pauses and updates are not kept. */
export const limitFaults: readonly KnownFault[] = [resizesNothing, keepsSlots, pausesNothing, updatesNothing];
