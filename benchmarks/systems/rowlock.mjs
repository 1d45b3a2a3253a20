import { createRowlock, defineHandler } from '@rowlock/core';
import { mysql } from '@rowlock/driver-mysql';
import { postgres } from '@rowlock/driver-postgres';
import { z } from 'zod';
import { connect } from '../connect.mjs';

const DRIVERS = {
  postgres: (url) => postgres({ connectionString: url }),
  mysql: (url) => mysql({ uri: url }),
};

const UNSETTLED = {
  postgres: `SELECT count(*) AS jobs FROM rowlock.job WHERE status IN ('new', 'in-progress')`,
  mysql: `SELECT COUNT(*) AS jobs FROM rowlock_job WHERE status IN ('new', 'in-progress')`,
};

/** How many jobs one call takes. */
const MOST = 10_000;

export async function open({ database, url, ...options }) {
  let onRun = () => {};
  const Noop = defineHandler({
    kind: 'noop',
    payload: z.number(),
    // Where the handler may say it: how many of its jobs one transaction settles.
    ...('batch' in options ? { batch: options.batch } : {}),
    run: ({ job }) => onRun(job.payload),
  });
  const rowlock = createRowlock({ driver: DRIVERS[database](url), handlers: [Noop] });
  await rowlock.migrate();
  const plain = await connect(database, url);
  let worker;
  const enqueueMany = (jobs) =>
    rowlock.enqueueMany(
      Noop,
      Array.from({ length: jobs }, (_, place) => ({ payload: place })),
    );

  return {
    mostAtOnce: MOST,
    enqueueMany,
    async fill(jobs) {
      for (let left = jobs; left > 0; left -= MOST) await enqueueMany(Math.min(left, MOST));
    },
    enqueue: (payload) => rowlock.enqueue(Noop, { payload }),
    async start(listener) {
      onRun = listener;
      worker = rowlock.worker({ concurrency: options.concurrency });
      worker.on('fault', (error) => console.error(error));
      await worker.start();
    },
    stop: () => worker?.stop(),
    unsettled: () => plain.number(UNSETTLED[database]),
    async close() {
      await plain.end();
      await rowlock.close();
    },
  };
}
