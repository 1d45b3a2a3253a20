import pg from 'pg';
import { PgBoss } from 'pg-boss';

const QUEUE = 'bench';
/** A worker looks twice a second, and takes at once what comes until its next look. */
const POLL_S = 0.5;
const MOST = 64;

export async function open({ url, workers, producer }, run) {
  const boss = new PgBoss({ connectionString: url });
  boss.on('error', (error) => console.error(error));
  await boss.start();
  if (!(await boss.getQueue(QUEUE))) await boss.createQueue(QUEUE);
  const effects = new pg.Pool({ connectionString: url, max: 4 });
  effects.on('error', () => {});
  const batchSize = Math.max(2, Math.min(MOST, Math.ceil((producer.rate * POLL_S) / workers)));
  return {
    descriptor: {
      system: 'pg-boss',
      event_tables: ['pgboss.job'],
      extensions: [],
      version: 'pg-boss',
      schema_version: String(await boss.schemaVersion()),
    },
    start: () =>
      boss.work(
        QUEUE,
        { localConcurrency: workers, batchSize, pollingIntervalSeconds: POLL_S, burstWhenBatchFull: true },
        async (jobs) => {
          for (const { data } of jobs) await run(data, (text, values) => effects.query(text, values));
        },
      ),
    enqueue: (payloads) =>
      boss.insert(
        QUEUE,
        payloads.map((data) => ({ data })),
      ),
    async depth() {
      const { queuedCount } = await boss.getQueueStats(QUEUE);
      return queuedCount;
    },
    async stop() {
      await boss.stop({ graceful: false });
      await effects.end();
    },
  };
}
