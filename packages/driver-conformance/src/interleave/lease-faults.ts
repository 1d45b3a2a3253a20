import type { Driver } from '@rowlock/core';
import { claimInstead } from '../claim-instead.js';
import type { JobRow } from '../driver-harness.js';
import { instead } from '../instead.js';
import { type KnownFault, lockingNoSiblings } from './known-fault.js';
import { leaseScenarios as scenarios } from './lease-scenarios.js';

const leasesPastHolds: KnownFault = {
  name: 'a lease that looks for no siblings, though one is held',
  scenario: scenarios.heldAndLeased,
  found: /began (while|before)/,
  driver: (driver) => lockingNoSiblings(driver, ['long']),
};

const holdsPastLeases: KnownFault = {
  name: 'a sibling lock that does not see what is leased',
  scenario: scenarios.leasedAndHeld,
  found: /short began (while|before)/,
  driver: (driver) =>
    claimInstead(driver, (begun) => ({
      lockSiblings: async (entities, limit) =>
        (await begun.lockSiblings(entities, limit + 1))
          .filter(({ status }) => status === 'new')
          .slice(0, limit),
    })),
};

const settlesUnfenced: KnownFault = {
  name: 'a lease that is settled though another has it',
  scenario: scenarios.takenForDead,
  found: /its effect 2 times|b lost a claim without cause/,
  seed: 70,
  driver: (driver, reader, queue) =>
    claimInstead(driver, (begun) => ({
      lockLeased: async (runId, jobs, isCommitted) => {
        const rows = await reader.jobs(queue);
        const row = rows.find(({ id, status }) => jobs.includes(id) && status === 'in-progress');
        return begun.lockLeased(row?.runId ?? runId, jobs, isCommitted);
      },
    })),
};

const reclaimsFromTheLiving: KnownFault = {
  name: 'a reclaim that does not ask whether the worker is dead',
  scenario: scenarios.lostSettlement,
  found: /lost a claim without cause|releases do not fit/,
  driver: (driver, reader, queue) =>
    instead(driver, {
      claims: {
        reclaim: async (scope) => {
          const met = await driver.claims.reclaim(scope);
          let reclaimed = met.reclaimed;
          for (const row of await reader.jobs(queue)) {
            if (row.status === 'in-progress' && (await putBack(driver, row))) reclaimed += 1;
          }
          return { ...met, reclaimed };
        },
      },
    }),
};

/** Ends a lease, unless somebody has its job locked. */
async function putBack<Tx>(driver: Driver<Tx>, { id, queue, key, ...row }: JobRow): Promise<boolean> {
  const runId = row.runId ?? '';
  const tx = driver.claims.session({ idleLimitMs: 60_000 });
  try {
    await tx.lockSiblings({ queue, keys: [key ?? ''] }, 10);
    await tx.lockLeased(runId, [id], true);
    const counts = { attempt: 0, crashes: 0, delayMs: 0, tookMs: 0 };
    const rest = { output: null, error: null, by: 'somebody' };
    await tx.settle([{ id, runId, event: 'release', ...counts, ...rest }]);
    await tx.commit();
    return true;
  } catch {
    return false;
  } finally {
    await tx.rollback();
  }
}

export const leaseFaults: readonly KnownFault[] = [
  leasesPastHolds,
  holdsPastLeases,
  settlesUnfenced,
  reclaimsFromTheLiving,
];
