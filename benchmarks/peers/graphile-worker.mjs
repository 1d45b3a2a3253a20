import { makeWorkerUtils, run } from 'graphile-worker';
import pg from 'pg';
import { EFFECT } from '../effect.mjs';

const UNSETTLED = 'SELECT count(*)::int AS jobs FROM graphile_worker._private_jobs';

/** How many jobs one call takes. */
const MOST = 10_000;

const log = Object.assign(() => {}, { scope: () => log });
for (const level of ['error', 'warn', 'info', 'debug']) log[level] = () => {};

/** @param limit One at most: jobs of a named queue run one after the other */
export async function open({
  url,
  concurrency,
  localQueue,
  batchMs,
  limit,
  writes = false,
  hasTables = false,
}) {
  const plain = new pg.Client({ connectionString: url });
  await plain.connect();
  const utils = await makeWorkerUtils({ connectionString: url, logger: log });
  if (!hasTables) await utils.migrate();
  if (writes) await plain.query(EFFECT.postgres.table);
  let runner;
  const enqueueMany = (jobs, { isFree = false } = {}) =>
    utils.addJobs(
      Array.from({ length: jobs }, (_, place) => ({
        identifier: 'noop',
        payload: { place: isFree ? -1 : place },
        ...(limit === undefined || isFree ? {} : { queueName: 'limited' }),
      })),
    );
  return {
    mostAtOnce: MOST,
    enqueueMany,
    async fill(jobs, options) {
      for (let left = jobs; left > 0; left -= MOST) await enqueueMany(Math.min(left, MOST), options);
    },
    enqueue: (place) => utils.addJob('noop', { place }),
    async start(onRun) {
      const worker = {
        // One more connection listens.
        ...(concurrency === undefined ? {} : { concurrentJobs: concurrency, maxPoolSize: concurrency + 1 }),
        ...(localQueue === undefined ? {} : { localQueue: { size: localQueue } }),
        ...(batchMs === undefined ? {} : { completeJobBatchDelay: batchMs, failJobBatchDelay: batchMs }),
      };
      runner = await run({
        connectionString: url,
        logger: log,
        noHandleSignals: true,
        preset: { worker },
        taskList: {
          // As its documentation has it: a write of its own, and the job's end another one.
          noop: async ({ place }, { withPgClient }) => {
            await onRun(place);
            if (writes) await withPgClient((client) => client.query(EFFECT.postgres.insert, [place]));
          },
        },
      });
    },
    stop: () => runner?.stop(),
    unsettled: async () => (await plain.query(UNSETTLED)).rows[0].jobs,
    async close() {
      await utils.release();
      await plain.end();
    },
  };
}
