import type { Driver } from '@rowlock/core';
import type { JobId, RunsStarted, Updated } from '@rowlock/core/driver';
import { claimInstead } from '../claim-instead.js';
import { instead } from '../instead.js';

/** What is put in the place of each driver. */
export type DriverChange = <Tx>(driver: Driver<Tx>) => Driver<Tx>;

/** A driver broken on purpose. */
export interface Fault {
  readonly name: string;
  breaks(): DriverChange;
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
        jobs: {
          enqueue: (jobs, wakeUps) =>
            driver.jobs.enqueue(
              jobs.map((job) => ({ ...job, unique: job.unique && { ...job.unique, scope: 'outstanding' } })),
              wakeUps,
            ),
        },
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
        claims: {
          startRuns: (...call) => {
            const { visible, durable } = driver.claims.startRuns(...call);
            const uncounted = async (): Promise<RunsStarted> => {
              const { earlier, unfinished } = await visible;
              return { earlier: earlier.map((each) => ({ ...each, crashes: 0 })), unfinished };
            };
            return { visible: uncounted(), durable };
          },
        },
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
    name: 'a record that is written over a run that has not ended',
    breaks: () => (driver) =>
      instead(driver, {
        claims: {
          startRuns: (runs, crashed) => {
            const receipt = driver.claims.startRuns(runs, crashed);
            const over = async (): Promise<RunsStarted> => {
              const started = await receipt.visible;
              if (started.unfinished.length > 0)
                await driver.claims.startRuns(runs, started.unfinished).visible;
              return started;
            };
            return { visible: over(), durable: receipt.durable };
          },
        },
      }),
  },
  {
    name: 'a crash that does not end its run',
    breaks: () => (driver) =>
      instead(driver, { claims: { startRuns: (runs) => driver.claims.startRuns(runs, []) } }),
  },
  {
    name: 'a claim that ends with the commit before it',
    breaks: () => (driver) =>
      instead(driver, {
        claims: {
          session: (options) => {
            const own = driver.claims.session(options);
            return instead(own, {
              finish: async (settlements, next) => {
                if (next === undefined) return own.finish(settlements);
                const settled = await own.settle(settlements);
                if (settled.length < settlements.length) return { settled, next: null };
                const jobs = await own.claim(next);
                await own.commit();
                return { settled, next: Promise.resolve(jobs) };
              },
            });
          },
        },
      }),
  },
  {
    name: 'a survey that leaves out the next delayed job',
    breaks: () => (driver) =>
      instead(driver, {
        claims: { survey: async (lanes) => ({ ...(await driver.claims.survey(lanes)), nextDueMs: null }) },
      }),
  },
  {
    name: 'a limit that admits one more',
    breaks: () => (driver) =>
      claimInstead(driver, (begun) => ({
        enterLimits: (limits) => begun.enterLimits(limits.replaceAll(/\d+(?=[,}])/g, (max) => `${+max + 1}`)),
      })),
  },
  {
    name: 'a lease without its slots',
    breaks: () => (driver) =>
      claimInstead(driver, (begun) => ({
        lease: async (runId, jobs, forMs) => {
          await begun.lease(runId, jobs, forMs);
          const other = driver.claims.session({ idleLimitMs: 600_000 });
          await other.lockLeased(runId, [], true);
          await other.leaveLimits(runId);
          await other.commit();
        },
      })),
  },
  {
    name: 'a settled lease that keeps its slots',
    breaks: () => (driver) => claimInstead(driver, () => ({ leaveLimits: async () => {} })),
  },
  {
    name: 'a pause that a longer one keeps out',
    breaks: () => (driver) =>
      instead(driver, { admission: { pause: (pause) => driver.admission.pause(pause, 'extend') } }),
  },
  {
    name: 'a start that is not given back',
    breaks: () => (driver) => instead(driver, { admission: { giveBack: async () => {} } }),
  },
  {
    name: 'an update that is made up to the operation that is refused',
    breaks: () => (driver) =>
      instead(driver, {
        jobs: {
          update: async (publicId, { operations, ...change }) => {
            const updated: Updated[] = [];
            for (const operation of operations)
              updated.push(await driver.jobs.update(publicId, { ...change, operations: [operation] }));
            return updated.at(-1) ?? { outcome: 'updated' };
          },
        },
      }),
  },
];
