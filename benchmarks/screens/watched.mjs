import { setTimeout as sleep } from 'node:timers/promises';
import { createRowlock, defineHandler } from '@rowlock/core';
import { z } from 'zod';
import { connect } from '../connect.mjs';
import { DRIVERS } from '../systems/rowlock.mjs';

/** How many jobs run all the time. */
const JOBS = 20;

const WORKERS = { postgres: 'SELECT id FROM rowlock.worker', mysql: 'SELECT id FROM rowlock_worker' };

const WAITING = {
  postgres:
    "SELECT public_id FROM rowlock.job WHERE queue = 'queue-7' AND status = 'new' ORDER BY id DESC LIMIT 1",
  mysql:
    "SELECT public_id FROM rowlock_job WHERE queue = 'queue-7' AND status = 'new' ORDER BY id DESC LIMIT 1",
};

/** A Rowlock with fresh tables, with a worker that has jobs for as long as this is open. */
export async function openWatched(database, url) {
  const over = Promise.withResolvers();
  const Busy = defineHandler({
    kind: 'busy',
    queue: 'busy',
    payload: z.number(),
    timeout: '6h',
    run: () => over.promise,
  });
  const rowlock = createRowlock({ driver: DRIVERS[database](url), handlers: [Busy] });
  await rowlock.migrate();
  const worker = rowlock.worker({ concurrency: JOBS });
  worker.on('fault', (error) => console.error(error));
  await worker.start();
  const plain = await connect(database, url);
  const reported = async () => {
    const { lanes } = await rowlock.insight.stats();
    return lanes.find(({ kind }) => kind === Busy.kind)?.running ?? 0;
  };
  return {
    rowlock,
    workerId: await plain.number(WORKERS[database]),
    /**
     * Begins the jobs, half of them after a report of the others. A worker that has run a long history has reported often, and a report
     * says what runs since the one before.
     */
    async run() {
      for (const jobs of [JOBS / 2, JOBS]) {
        await rowlock.enqueueMany(
          Busy,
          Array.from({ length: JOBS / 2 }, (_, payload) => ({ payload })),
        );
        while ((await reported()) < jobs) await sleep(100);
      }
    },
    /** The public id of a job that waits. */
    async waiting() {
      const [row] = await plain.ask(WAITING[database]);
      return row.public_id;
    },
    async close() {
      over.resolve();
      await worker.stop();
      await rowlock.close();
      await plain.end();
    },
  };
}
