import pg from 'pg';
import { PgBoss } from 'pg-boss';

const UNSETTLED = `SELECT count(*)::int AS jobs FROM pgboss.job WHERE name = 'noop' AND state < 'completed'`;

/** From the first start to the last end of the jobs of a group. */
const LIMITED_MS = `
  SELECT extract(epoch FROM max(completed_on) - min(started_on))::float8 * 1000 AS ms
  FROM pgboss.job WHERE name = 'noop' AND group_id IS NOT NULL`;

/** How many jobs one call takes. */
const MOST = 10_000;

/** @param limit How many jobs of a group may run at once. Jobs with a number below zero are of no group */
export async function open({ url, batch, limit, workers = 1, notify = false, hasTables = false }) {
  const plain = new pg.Client({ connectionString: url });
  await plain.connect();
  const boss = new PgBoss({ connectionString: url, max: Math.max(10, workers), useListenNotify: notify });
  boss.on('error', (error) => console.error(error));
  await boss.start();
  if (!hasTables) await boss.createQueue('noop', { notify });
  const enqueueMany = (jobs, { isFree = false } = {}) =>
    boss.insert(
      'noop',
      Array.from({ length: jobs }, (_, place) => ({
        data: { place: isFree ? -1 : place },
        ...(limit === undefined || isFree ? {} : { group: { id: 'limited' } }),
      })),
    );
  return {
    mostAtOnce: MOST,
    enqueueMany,
    async fill(jobs, options) {
      for (let left = jobs; left > 0; left -= MOST) await enqueueMany(Math.min(left, MOST), options);
    },
    enqueue: (place) => boss.send('noop', { place }),
    async start(onRun) {
      const options = {
        localConcurrency: workers,
        ...(limit === undefined ? {} : { groupConcurrency: limit }),
        ...(batch === undefined
          ? {}
          : { batchSize: batch, burstWhenBatchFull: true, pollingIntervalSeconds: 0.5 }),
      };
      await boss.work('noop', options, async (jobs) => {
        for (const { data } of jobs) await onRun(data.place);
      });
    },
    limitedMs: async () => (await plain.query(LIMITED_MS)).rows[0].ms,
    stop: () => boss.offWork('noop'),
    unsettled: async () => (await plain.query(UNSETTLED)).rows[0].jobs,
    async close() {
      await boss.stop({ graceful: false });
      await plain.end();
    },
  };
}
