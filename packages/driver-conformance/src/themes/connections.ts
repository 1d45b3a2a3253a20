import { setTimeout as sleep } from 'node:timers/promises';
import { createRowlock, defineHandler } from '@rowlock/core';
import { expect } from 'vitest';
import { allSettled } from '../all-settled.js';
import { eachSettledOnce } from '../each-settled-once.js';
import type { Stage } from '../stage.js';
import { theme } from '../theme.js';
import { AnyJson, openWorker } from '../worker-process.js';

/** How long a job takes, in milliseconds: long enough for all slots to have one at the same time. */
const JOB_MS = 20;

/** Limits of the server's, for a worker that wants more connections than each of them. */
const LIMITS = [
  { mostConnections: 3, concurrency: 5, jobs: 20 },
  { mostConnections: 6, concurrency: 5, jobs: 60 },
  { mostConnections: 6, concurrency: 12, jobs: 60 },
  { mostConnections: 7, concurrency: 5, jobs: 60 },
];

export const connections = theme('connections', (test) => {
  for (const { mostConnections, concurrency, jobs } of LIMITS)
    test(`where the server lets in ${mostConnections} connections, a worker with a concurrency of ${concurrency} does all its jobs, and loses none`, async (stage) => {
      const { worker } = await openWorker(stage, [slowHandler(stage)], { mostConnections, concurrency });
      const [lost, faults]: [unknown[], unknown[]] = [[], []];
      worker.on('lost', (_, error) => lost.push(String(error)));
      worker.on('fault', (error) => faults.push(String(error)));
      await stage.putMany(Array.from({ length: jobs }, () => ({})));
      await worker.start();
      const rows = await allSettled(stage);
      expect(rows.map(({ status, attempt, crashes }) => [status, attempt, crashes])).toEqual(
        rows.map(() => ['complete', 1, 0]),
      );
      await eachSettledOnce(stage, rows);
      expect(lost).toEqual([]);
      // It is said once, with the numbers.
      expect(faults.length).toBeLessThanOrEqual(1);
    });

  test.once(
    'the workers of one pool count together, and one too many is refused until another stops',
    async (stage) => {
      const { driver } = await stage.process();
      const most = driver.pool?.most;
      const [first, second] = [1, 2].map(() =>
        createRowlock({ driver, handlers: [slowHandler(stage)], log: SILENT }),
      );
      if (most === undefined || first === undefined || second === undefined) return;
      const large = first.worker({ concurrency: most - 1 });
      stage.defer(() => large.stop({ drain: 0 }));
      await large.start();
      const small = () => second.worker({ concurrency: 1 });
      await expect(small().start()).rejects.toMatchObject({
        code: 'ROWLOCK_POOL_TOO_SMALL',
        message: expect.stringMatching(new RegExp(`${most}.* needs ${most + 1} .* ${most}`)),
      });
      await large.stop();
      const worker = small();
      stage.defer(() => worker.stop({ drain: 0 }));
      await worker.start();
    },
  );
});

const SILENT = { debug() {}, info() {}, warn() {}, error() {} };

function slowHandler<Tx>({ queue }: Stage<Tx>) {
  return defineHandler({ kind: 'work', queue, payload: AnyJson, run: () => sleep(JOB_MS).then(() => {}) });
}
