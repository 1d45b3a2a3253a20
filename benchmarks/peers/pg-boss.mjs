import pg from 'pg';
import { PgBoss } from 'pg-boss';

const UNSETTLED = `SELECT count(*)::int AS jobs FROM pgboss.job WHERE name = 'noop' AND state < 'completed'`;

/** How many jobs one call takes. */
const MOST = 10_000;

export async function open({ url, batch, workers = 1, notify = false }) {
  const plain = new pg.Client({ connectionString: url });
  await plain.connect();
  const boss = new PgBoss({ connectionString: url, max: Math.max(10, workers), useListenNotify: notify });
  boss.on('error', (error) => console.error(error));
  await boss.start();
  await boss.createQueue('noop', { notify });
  const enqueueMany = (jobs) =>
    boss.insert(
      'noop',
      Array.from({ length: jobs }, (_, place) => ({ data: { place } })),
    );
  return {
    mostAtOnce: MOST,
    enqueueMany,
    async fill(jobs) {
      for (let left = jobs; left > 0; left -= MOST) await enqueueMany(Math.min(left, MOST));
    },
    enqueue: (place) => boss.send('noop', { place }),
    async start(onRun) {
      const options = {
        localConcurrency: workers,
        ...(batch === undefined
          ? {}
          : { batchSize: batch, burstWhenBatchFull: true, pollingIntervalSeconds: 0.5 }),
      };
      await boss.work('noop', options, async (jobs) => {
        for (const { data } of jobs) onRun(data.place);
      });
    },
    stop: () => boss.offWork('noop'),
    unsettled: async () => (await plain.query(UNSETTLED)).rows[0].jobs,
    async close() {
      await boss.stop({ graceful: false });
      await plain.end();
    },
  };
}
