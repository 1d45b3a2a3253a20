import { createRowlock, defineHandler } from '@rowlock/core';
import { mysql } from '@rowlock/driver-mysql';
import { postgres } from '@rowlock/driver-postgres';
import { z } from 'zod';
import { connect } from '../connect.mjs';
import { EFFECT } from '../effect.mjs';
import { unused as unusedCapabilities } from './unused.mjs';

export const DRIVERS = {
  postgres: (url) => postgres({ connectionString: url }),
  mysql: (url) => mysql({ uri: url }),
};

// By indexes, because a table may hold much else; what a measure has put into it past Rowlock does not count.
const UNSETTLED = {
  postgres: `
    SELECT (SELECT count(*) FROM rowlock.job
            WHERE queue = 'default' AND status = 'new' AND due AND limits = '' AND created_by <> 'filler')
         + (SELECT count(*) FROM rowlock.job
            WHERE queue = 'default' AND status = 'new' AND due AND limits = $1)
         + (SELECT count(*) FROM rowlock.job WHERE queue = 'default' AND status = 'in-progress')`,
  mysql: `
    SELECT (SELECT COUNT(*) FROM rowlock_job FORCE INDEX (job_claim)
            WHERE queue = 'default' AND claimable = 1 AND limits = '' AND created_by <> 'filler')
         + (SELECT COUNT(*) FROM rowlock_job FORCE INDEX (job_claim)
            WHERE queue = 'default' AND claimable = 1 AND limits = ?)
         + (SELECT COUNT(*) FROM rowlock_job FORCE INDEX (job_leased) WHERE queue = 'default' AND leased = 1)`,
};

/** From the first start to the last end of the jobs with limits, in milliseconds. */
const LIMITED_MS = {
  postgres: `
    SELECT extract(epoch FROM max(finished_at) - min(started_at))::float8 * 1000
    FROM rowlock.job WHERE limits <> '' AND status = 'complete'`,
  mysql: `
    SELECT TIMESTAMPDIFF(MICROSECOND, MIN(started_at), MAX(finished_at)) / 1000
    FROM rowlock_job WHERE limits <> '' AND status = 'complete'`,
};

/** How many jobs one call takes. */
const MOST = 10_000;

/**
 * @param limit How many jobs may run at once. Those with a payload below zero are free of it
 * @param unused The capabilities that the database has for jobs of other kinds
 */
export async function open(options) {
  const {
    database,
    url,
    concurrency,
    batch,
    limit,
    writes = false,
    unused = [],
    hasTables = false,
  } = options;
  const others = unusedCapabilities(unused);
  let onRun = () => {};
  const Noop = defineHandler({
    kind: 'noop',
    payload: z.number(),
    ...(batch === undefined ? {} : { batch }),
    ...(limit === undefined ? {} : { limit: limitOf(limit) }),
    run: writes
      ? async ({ job, tx }) => {
          onRun(job.payload);
          await tx.query(EFFECT[database].insert, [job.payload]);
        }
      : ({ job }) => onRun(job.payload),
  });
  const rowlock = createRowlock({
    driver: DRIVERS[database](url),
    handlers: [Noop, ...others.handlers],
    schedules: others.schedules,
    captures: others.captures,
  });
  if (!hasTables) await rowlock.migrate();
  const plain = await connect(database, url);
  await others.prepare(rowlock, plain);
  if (writes) await plain.ask(EFFECT[database].table);
  const held = [];
  let worker;
  const enqueueMany = (jobs, { keys, isFree = false } = {}) =>
    rowlock.enqueueMany(
      Noop,
      Array.from({ length: jobs }, (_, place) => ({
        payload: isFree ? -1 : place,
        ...keyOf(place, keys),
      })),
    );

  return {
    mostAtOnce: MOST,
    enqueueMany,
    async fill(jobs, options) {
      for (let left = jobs; left > 0; left -= MOST) await enqueueMany(Math.min(left, MOST), options);
    },
    enqueue: (payload) => rowlock.enqueue(Noop, { payload }),
    async start(listener) {
      onRun = listener;
      worker = rowlock.worker({ concurrency });
      worker.on('fault', (error) => console.error(error));
      await worker.start();
    },
    stop: () => worker?.stop(),
    unsettled: () => plain.number(UNSETTLED[database], [JSON.stringify({ noop: limit })]),
    ...(limit === undefined ? {} : { limitedMs: () => plain.number(LIMITED_MS[database]) }),
    /** Takes the only slot of a limit until the end. */
    async holdSlot(name) {
      const slot = await rowlock.limits.slots(name, { max: 1 }).acquire();
      if (slot.outcome === 'full') throw new Error(`The slot of ${name} is taken.`);
      held.push(slot);
    },
    async close() {
      for (const slot of held) await slot.release();
      await plain.end();
      await rowlock.close();
    },
  };
}

function limitOf(max) {
  return ({ payload }) => (payload < 0 ? undefined : { name: 'noop', max });
}

/** Different ones at each call, out of so many. */
function keyOf(place, keys) {
  return keys === undefined ? {} : { key: `key-${(place + Math.floor(Math.random() * keys)) % keys}` };
}
