// Rowlock of any commit: its packages as they were built there, by what all commits have.
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { z } from 'zod';
import { connect } from '../connect.mjs';
import { EFFECT } from '../effect.mjs';

const UNSETTLED = {
  postgres: "SELECT count(*) FROM rowlock.job WHERE status IN ('new', 'in-progress')",
  mysql: "SELECT COUNT(*) FROM rowlock_job WHERE status IN ('new', 'in-progress')",
};

/** How many jobs one call takes. */
const MOST = 1_000;

/** @param root The folder of the commit */
export async function open({ root, database, url, concurrency, writes }) {
  const load = (name) => import(pathToFileURL(join(root, 'packages', name, 'dist', 'index.js')).href);
  const { createRowlock, defineHandler } = await load('core');
  const driver =
    database === 'postgres'
      ? (await load('driver-postgres')).postgres({ connectionString: url })
      : (await load('driver-mysql')).mysql({ uri: url });
  let onRun = () => {};
  const Noop = defineHandler({
    kind: 'noop',
    payload: z.number(),
    // Once it was more by default.
    batch: 1,
    run: async ({ job, tx }) => {
      onRun(job.payload);
      if (writes) await tx.query(EFFECT[database].insert, [job.payload]);
    },
  });
  const rowlock = createRowlock({ driver, handlers: [Noop] });
  await rowlock.migrate();
  const plain = await connect(database, url);
  if (writes) await plain.ask(EFFECT[database].table);
  let worker;
  return {
    async fill(jobs) {
      for (let from = 0; from < jobs; from += MOST) {
        const payloads = Array.from({ length: Math.min(MOST, jobs - from) }, (_, place) => from + place);
        await rowlock.enqueueMany(
          Noop,
          payloads.map((payload) => ({ payload })),
        );
      }
    },
    async start(listener) {
      onRun = listener;
      worker = rowlock.worker({ concurrency });
      worker.on('fault', (error) => console.error(error));
      await worker.start();
    },
    stop: () => worker.stop(),
    unsettled: () => plain.number(UNSETTLED[database]),
    async close() {
      await plain.end();
      await rowlock.close();
    },
  };
}
