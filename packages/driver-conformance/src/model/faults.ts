import type { Driver } from '@rowlock/core';
import type { JobId } from '@rowlock/core/driver';
import { claimInstead } from '../claim-instead.js';
import { instead } from '../instead.js';

/** What is put in the place of each driver. */
export type Twist = <Tx>(driver: Driver<Tx>) => Driver<Tx>;

/** A driver broken on purpose. */
export interface Fault {
  readonly name: string;
  breaks(): Twist;
}

export const faults: readonly Fault[] = [
  {
    name: 'a claim that ignores the priority',
    breaks: () => (driver) =>
      claimInstead(driver, (begun) => ({
        claim: async (criteria) => {
          const [first, ...others] = await begun.claim(criteria);
          if (first === undefined) return [];
          const [next] = await begun.claim({ ...criteria, line: others.at(-1) ?? first, limit: 1 });
          return [next !== undefined && next.id < first.id ? next : first, ...others];
        },
      })),
  },
  {
    name: 'a lock of leased jobs that does not look at whose they are',
    breaks: () => {
      const runs = new Map<JobId, string>();
      return (driver) =>
        claimInstead(driver, (begun) => ({
          lease: async (runId, jobs, forMs) => {
            await begun.lease(runId, jobs, forMs);
            for (const id of jobs) runs.set(id, runId);
          },
          lockLeased: (runId, jobs, isCommitted) =>
            begun.lockLeased(runs.get(jobs[0] ?? 0n) ?? runId, jobs, isCommitted),
        }));
    },
  },
  {
    name: 'a settlement that says it is done, whoever has the job',
    breaks: () => (driver) =>
      claimInstead(driver, (begun) => ({
        settle: async (settlements) => {
          await begun.settle(settlements);
          return settlements.map(({ id }) => id);
        },
      })),
  },
  {
    name: 'a unique key that is free too early',
    breaks: () => (driver) =>
      instead(driver, {
        enqueue: (jobs, wakeUps) =>
          driver.enqueue(
            jobs.map((job) => ({ ...job, unique: job.unique && { ...job.unique, scope: 'outstanding' } })),
            wakeUps,
          ),
      }),
  },
  {
    name: 'a reclaim of what a living worker has',
    breaks: () => (driver) =>
      claimInstead(driver, (begun) => ({ lease: (runId, jobs) => begun.lease(runId, jobs, -1_000) })),
  },
  {
    name: 'a crash that is not counted',
    breaks: () => (driver) =>
      instead(driver, {
        startRuns: async (runs) => (await driver.startRuns(runs)).map((each) => ({ ...each, crashes: 0 })),
      }),
  },
  {
    name: 'a group lock that misses one',
    breaks: () => (driver) =>
      claimInstead(driver, (begun) => ({
        lockSiblings: async (entities, limit) => {
          const jobs = await begun.lockSiblings(entities, limit);
          return jobs.length > 1 ? jobs.slice(0, -1) : jobs;
        },
      })),
  },
  {
    name: 'a rollback that commits',
    breaks: () => (driver) => claimInstead(driver, (begun) => ({ rollback: () => begun.commit() })),
  },
  {
    name: 'a delayed job that nobody is told of',
    breaks: () => (driver) =>
      instead(driver, { survey: async (lanes) => ({ ...(await driver.survey(lanes)), nextDueMs: null }) }),
  },
];
