import { randomUUID } from 'node:crypto';
import type { Driver } from '@rowlock/core';
import type { ClaimSession, Job, JobId, NewJob } from '@rowlock/core/driver';
import { expect } from 'vitest';
import { emptyDatabase } from '../empty-database.js';
import { newJob } from '../new-job.js';
import { putOnRecord } from '../put-on-record.js';
import { KIND, START, type Stage, settlement } from '../stage.js';
import { theme } from '../theme.js';
import { until } from '../until.js';

const QUEUE = 'q';
const CRITERIA = { queue: QUEUE, kinds: [KIND], line: START, busy: [] };

/** A statement about all rows but one may be planned as a scan of all rows. */
const SIZES = [3, 20, 2_000];

/** A table of its own, in which the first job is held until the test ends. A statement that reads past its own rows waits for that job. */
interface SmallTable<Tx> {
  readonly driver: Driver<Tx>;
  /** All jobs but the held one. */
  readonly others: readonly JobId[];
  claimOthers(): Promise<{ readonly session: ClaimSession<Tx>; readonly jobs: readonly Job[] }>;
}

async function smallTable<Tx>(
  stage: Stage<Tx>,
  size: number,
  change: Partial<NewJob> = {},
): Promise<SmallTable<Tx>> {
  const { database, process } = await emptyDatabase(stage);
  const { driver } = await process();
  await driver.schema.migrate();
  await driver.jobs.enqueue([newJob({ queue: QUEUE, kind: KIND })]);
  await stage.claimSession(driver).claim({ ...CRITERIA, limit: 1 });
  const others = Array.from({ length: size - 1 }, () => newJob({ queue: QUEUE, kind: KIND, ...change }));
  await driver.jobs.enqueue(others);
  const [, ...ids] = (await database.reader.jobs(QUEUE)).map(({ id }) => id);
  return {
    driver,
    others: ids,
    async claimOthers() {
      const session = stage.claimSession(driver);
      const jobs = await session.claim({ ...CRITERIA, limit: size });
      expect(jobs.map(({ id }) => id)).toEqual(ids);
      return { session, jobs };
    },
  };
}

export const smallTables = theme('small tables', (test) => {
  for (const size of SIZES) {
    test(`while one of ${size} jobs is held, the others are settled and pruned`, async (stage) => {
      const { driver, others, claimOthers } = await smallTable(stage, size);
      const { session } = await claimOthers();
      await session.settle(others.map((id) => settlement({ id })));
      await session.commit();
      expect(await driver.history.prune(others, 0)).toBe(size - 1);
    });

    test(`while one of ${size} jobs is held, the others are leased, noted and put back`, async (stage) => {
      const { driver, others, claimOthers } = await smallTable(stage, size);
      const { session, jobs } = await claimOthers();
      const runId = randomUUID();
      const { workerId } = await stage.anchor(driver);
      await putOnRecord(driver, [{ runId, workerId, jobs }]);
      await session.lease(runId, others, 1);
      await driver.claims.noteRun({ runId, jobs: others }, 1);
      let reclaimed = 0;
      await until('the leases are over', async () => {
        reclaimed += (await driver.claims.reclaim({ queues: [QUEUE], dead: [] })).reclaimed;
        return reclaimed === others.length;
      });
    });

    test(`while one of ${size} jobs is held, the others become due`, async (stage) => {
      const { driver, others } = await smallTable(stage, size, { available: { inMs: 1 } });
      let promoted = 0;
      await until('all are due', async () => {
        promoted += (await driver.claims.survey({ queues: [QUEUE], kinds: [KIND] })).promoted;
        return promoted === others.length;
      });
    });
  }
});
