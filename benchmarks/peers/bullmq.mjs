import { createPostgresBackend, Queue, Worker } from 'bullmq';
import { Redis } from 'ioredis';
import pg from 'pg';

const UNSETTLED = `SELECT count(*)::int AS jobs FROM bullmq.job WHERE state IN ('waiting', 'active')`;

/** How many jobs one call takes. */
const MOST = 1_000;

/** @param limit How many jobs of the queue may run at once */
export async function open({ database, url, concurrency, limit, hasTables = false }) {
  const { connection, factory, unsettled, end } = await (database === 'redis'
    ? onRedis(url, hasTables)
    : onPostgres(url));
  const queue = new Queue('noop', { connection }, factory);
  queue.on('error', () => {});
  await queue.waitUntilReady();
  if (limit !== undefined) await queue.setGlobalConcurrency(limit);
  let worker;
  const enqueueMany = (jobs) =>
    queue.addBulk(Array.from({ length: jobs }, (_, place) => ({ name: 'noop', data: { place } })));
  return {
    mostAtOnce: MOST,
    enqueueMany,
    async fill(jobs) {
      for (let left = jobs; left > 0; left -= MOST) await enqueueMany(Math.min(left, MOST));
    },
    enqueue: (place) => queue.add('noop', { place }),
    async start(onRun) {
      worker = new Worker(
        'noop',
        async ({ data }) => onRun(data.place),
        { connection, concurrency },
        factory,
      );
      worker.on('error', () => {});
      await worker.waitUntilReady();
    },
    stop: () => worker?.close(),
    unsettled,
    async close() {
      await queue.close();
      await end();
    },
  };
}

async function onPostgres(url) {
  const plain = new pg.Client({ connectionString: url });
  await plain.connect();
  return {
    connection: { connectionString: url, migrate: true, max: 50 },
    factory: createPostgresBackend,
    unsettled: async () => (await plain.query(UNSETTLED)).rows[0].jobs,
    end: () => plain.end(),
  };
}

async function onRedis(url, isFilled) {
  const plain = new Redis(url);
  if (!isFilled) await plain.flushall();
  return {
    connection: { url, maxRetriesPerRequest: null },
    unsettled: async () => (await plain.llen('bull:noop:wait')) + (await plain.llen('bull:noop:active')),
    end: () => plain.quit(),
  };
}
