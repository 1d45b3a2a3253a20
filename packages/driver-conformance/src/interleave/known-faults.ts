import type { Line } from '@rowlock/core/driver';
import { claimInstead } from '../claim-instead.js';
import { instead } from '../instead.js';
import { type KnownFault, lockingNoSiblings } from './known-fault.js';
import { leaseFaults } from './lease-faults.js';
import { limitFaults } from './limit-faults.js';
import { scenarios } from './scenarios.js';

const locksNoSiblings: KnownFault = {
  name: 'a driver whose sibling lock locks nothing',
  scenario: scenarios.twoWorkers,
  found: /began (while|before)/,
  driver: (driver) => lockingNoSiblings(driver, ['work']),
};

const releasesUnwritten: KnownFault = {
  name: 'a release that is not written into its record',
  scenario: scenarios.lateRecord,
  found: /releases do not fit/,
  driver: (driver) => claimInstead(driver, (begun) => ({ release: () => begun.rollback() })),
};

const neverReturns: KnownFault = {
  name: 'a worker that does not come back after it was refused',
  scenario: scenarios.killedWorker,
  found: /is left new/,
  seed: 6,
  clock: (clock) => ({ now: () => clock.now(), after: () => () => {} }),
};

const unguarded: KnownFault = {
  name: 'a settlement without its guard, after the claim was lost',
  scenario: scenarios.lostConnections,
  found: /lost its claim|its effect/,
  seed: 52,
  driver: (driver, reader, queue) =>
    claimInstead(driver, (begun) => ({
      lost: new AbortController().signal,
      settle: async (settlements) => {
        if (!begun.lost.aborted) return begun.settle(settlements);
        const finishedAt = await reader.now();
        const rows = await reader.jobs(queue);
        for (const { id, runId } of settlements) {
          const publicId = rows.find((row) => row.id === id)?.publicId ?? '';
          await reader.write(publicId, { status: 'complete', runId, finishedAt });
        }
        return settlements.map(({ id }) => id);
      },
      commit: async () => {
        if (!begun.lost.aborted) await begun.commit();
      },
    })),
};

const upserts: KnownFault = {
  name: 'an enqueue that updates the duplicate, and so waits for its handler',
  scenario: scenarios.duplicate,
  found: /enqueue and wake waits for the running handler/,
  driver: (driver, reader) =>
    instead(driver, {
      jobs: {
        enqueue: async (jobs, wakeUps) => {
          const enqueued = await driver.jobs.enqueue(jobs, wakeUps);
          for (const { outcome, publicId } of enqueued) {
            if (outcome === 'duplicate') await reader.write(publicId, { createdBy: 'the last who asked' });
          }
          return enqueued;
        },
      },
    }),
};

const neverGoesBack: KnownFault = {
  name: 'a sweep that never goes back behind the line',
  scenario: scenarios.lowerIdLate,
  found: /is left new/,
  driver: (driver) => {
    const furthest = new Map<string, Line>();
    return claimInstead(driver, (begun) => ({
      claim: async (criteria) => {
        const { queue } = criteria;
        const jobs = await begun.claim({ ...criteria, line: furthest.get(queue) ?? criteria.line });
        const last = jobs.at(-1);
        if (last !== undefined) furthest.set(queue, { priority: last.priority, id: last.id });
        return jobs;
      },
    }));
  },
};

const swallows: KnownFault = {
  name: 'a settlement that takes what was committed later with it',
  scenario: scenarios.lateToTheGroup,
  found: /late is complete and has its effect 0 times/,
  driver: (driver, reader, queue) =>
    claimInstead(driver, (begun) => ({
      settle: async (settlements) => {
        const settled = await begun.settle(settlements);
        const { runId = null } = settlements[0] ?? {};
        for (const { id, publicId, status } of await reader.jobs(queue)) {
          if (status !== 'new' || settled.includes(id)) continue;
          await reader.write(publicId, { status: 'complete', runId, finishedAt: await reader.now() });
        }
        return settled;
      },
    })),
};

const dependsOnNothing: KnownFault = {
  name: 'a driver that finds no dependencies',
  scenario: scenarios.createApart,
  found: /which it must come after/,
  driver: (driver) => claimInstead(driver, () => ({ firstOutstanding: async () => undefined })),
};

const dependsByItsHead: KnownFault = {
  name: 'a driver that finds no dependencies of the later jobs of a group',
  scenario: scenarios.createApartBetween,
  found: /run of early and late began before create, which it must come after/,
  driver: (driver) =>
    claimInstead(driver, (begun) => ({
      firstOutstanding: async (question) => {
        const first = await begun.firstOutstanding(question);
        const [head] = question.except;
        return first !== undefined && head !== undefined && first > head ? undefined : first;
      },
    })),
};

const claimsInOrderOfPriority: KnownFault = {
  name: 'a sibling lock that gives the claimed job first',
  scenario: scenarios.priorities,
  found: /which was enqueued earlier/,
  driver: (driver) =>
    claimInstead(driver, (begun) => ({
      lockSiblings: async (entities, limit) => {
        const siblings = await begun.lockSiblings(entities, limit + 1);
        return siblings.toSorted((one, other) => one.priority - other.priority).slice(0, limit);
      },
    })),
};

const halfSettled: KnownFault = {
  name: 'a group of which one job is not settled',
  scenario: scenarios.lateToTheGroup,
  found: /settled/,
  driver: (driver) =>
    claimInstead(driver, (begun) => ({
      settle: async (settlements) => {
        await begun.settle(settlements.slice(0, 1));
        return settlements.map(({ id }) => id);
      },
    })),
};

export const knownFaults: readonly KnownFault[] = [
  locksNoSiblings,
  neverReturns,
  unguarded,
  upserts,
  neverGoesBack,
  swallows,
  dependsOnNothing,
  dependsByItsHead,
  claimsInOrderOfPriority,
  halfSettled,
  releasesUnwritten,
  ...leaseFaults,
  ...limitFaults,
];
