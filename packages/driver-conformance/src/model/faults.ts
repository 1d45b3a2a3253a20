import type { Driver, HeldTransaction, JobId } from '@rowlock/core';
import { instead } from '../instead.js';

/** What is put in the place of each driver. */
export type Twist = <Tx>(driver: Driver<Tx>) => Driver<Tx>;

/** A driver broken on purpose. */
export interface Fault {
  readonly name: string;
  breaks(): Twist;
}

/** Changes each transaction that a driver begins. */
function held<Tx>(
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

export const faults: readonly Fault[] = [
  {
    name: 'a claim that ignores the priority',
    breaks: () => (driver) =>
      held(driver, (begun) => ({
        claim: async (criteria) => {
          const first = await begun.claim(criteria);
          if (first === undefined) return undefined;
          const next = await begun.claim({ ...criteria, line: first });
          return next !== undefined && next.id < first.id ? next : first;
        },
      })),
  },
  {
    name: 'a lock of leased jobs that does not look at whose they are',
    breaks: () => {
      const runs = new Map<JobId, string>();
      return (driver) =>
        held(driver, (begun) => ({
          lease: async (processId, jobs, forMs) => {
            await begun.lease(processId, jobs, forMs);
            for (const id of jobs) runs.set(id, processId);
          },
          lockLeased: (processId, jobs) => begun.lockLeased(runs.get(jobs[0] ?? 0n) ?? processId, jobs),
        }));
    },
  },
  {
    name: 'a settlement that says it is done, whoever has the job',
    breaks: () => (driver) =>
      held(driver, (begun) => ({
        settle: async (processId, settlements) => {
          await begun.settle(processId, settlements);
          return settlements.map(({ id }) => id);
        },
      })),
  },
  {
    name: 'a unique key that is free too early',
    breaks: () => (driver) =>
      instead(driver, {
        enqueue: (jobs) =>
          driver.enqueue(
            jobs.map((job) => ({ ...job, unique: job.unique && { ...job.unique, scope: 'outstanding' } })),
          ),
      }),
  },
  {
    name: 'a reclaim of what a living worker has',
    breaks: () => (driver) =>
      held(driver, (begun) => ({ lease: (processId, jobs) => begun.lease(processId, jobs, -1_000) })),
  },
  {
    name: 'a crash that is not counted',
    breaks: () => (driver) =>
      instead(driver, {
        startRun: async (run) => (await driver.startRun(run)).map((each) => ({ ...each, crashes: 0 })),
      }),
  },
  {
    name: 'a group lock that misses one',
    breaks: () => (driver) =>
      held(driver, (begun) => ({
        lockSiblings: async (entity, limit) => {
          const jobs = await begun.lockSiblings(entity, limit);
          return jobs.length > 1 ? jobs.slice(0, -1) : jobs;
        },
      })),
  },
  {
    name: 'a rollback that commits',
    breaks: () => (driver) => held(driver, (begun) => ({ rollback: () => begun.commit() })),
  },
  {
    name: 'a delayed job that nobody is told of',
    breaks: () => (driver) =>
      instead(driver, { survey: async (lanes) => ({ ...(await driver.survey(lanes)), nextDueMs: null }) }),
  },
];
