import { createRowlock, defineHandler } from '@rowlock/core';
import { mysql } from '@rowlock/driver-mysql';
import { postgres } from '@rowlock/driver-postgres';
import { z } from 'zod';
import { connect } from '../connect.mjs';
import { EFFECT } from '../effect.mjs';

export const DRIVERS = {
  postgres: (url) => postgres({ connectionString: url }),
  mysql: (url) => mysql({ uri: url }),
};

// By indexes, because a table may hold much else; what a measure has put into it past Rowlock does not count.
const UNSETTLED = {
  postgres: `
    SELECT (SELECT count(*) FROM rowlock.job WHERE queue = 'default' AND status = 'new' AND due AND created_by <> 'filler')
         + (SELECT count(*) FROM rowlock.job WHERE queue = 'default' AND status = 'in-progress')`,
  mysql: `
    SELECT (SELECT COUNT(*) FROM rowlock_job FORCE INDEX (job_claim)
            WHERE queue = 'default' AND claimable = 1 AND created_by <> 'filler')
         + (SELECT COUNT(*) FROM rowlock_job FORCE INDEX (job_leased) WHERE queue = 'default' AND leased = 1)`,
};

/** How many jobs one call takes. */
const MOST = 10_000;

export async function open({ database, url, concurrency, batch, writes = false, hasTables = false }) {
  let onRun = () => {};
  const Noop = defineHandler({
    kind: 'noop',
    payload: z.number(),
    ...(batch === undefined ? {} : { batch }),
    run: writes
      ? async ({ job, tx }) => {
          onRun(job.payload);
          await tx.query(EFFECT[database].insert, [job.payload]);
        }
      : ({ job }) => onRun(job.payload),
  });
  if (batch > 1 && !('batch' in Noop)) throw new Error('a handler cannot say so in this version');
  const rowlock = createRowlock({ driver: DRIVERS[database](url), handlers: [Noop] });
  if (!hasTables) await rowlock.migrate();
  const plain = await connect(database, url);
  if (writes) await plain.ask(EFFECT[database].table);
  let worker;
  const enqueueMany = (jobs, keys) =>
    rowlock.enqueueMany(
      Noop,
      Array.from({ length: jobs }, (_, place) => ({ payload: place, ...keyOf(place, keys) })),
    );

  return {
    mostAtOnce: MOST,
    enqueueMany,
    async fill(jobs, { keys } = {}) {
      for (let left = jobs; left > 0; left -= MOST) await enqueueMany(Math.min(left, MOST), keys);
    },
    enqueue: (payload) => rowlock.enqueue(Noop, { payload }),
    async start(listener) {
      onRun = listener;
      worker = rowlock.worker({ concurrency });
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

/** Different ones at each call, out of so many. */
function keyOf(place, keys) {
  return keys === undefined ? {} : { key: `key-${(place + Math.floor(Math.random() * keys)) % keys}` };
}
