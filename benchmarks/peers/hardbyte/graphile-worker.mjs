import { makeWorkerUtils, run as runWorker } from 'graphile-worker';
import pg from 'pg';

/** @param batch With more than one it has its local queue, and completes jobs together */
export async function open({ url, workers, batch }, run) {
  const isTuned = batch > 1;
  const utils = await makeWorkerUtils({ connectionString: url });
  await utils.migrate();
  const plain = new pg.Pool({ connectionString: url, max: 1 });
  plain.on('error', () => {});
  let runner;
  return {
    descriptor: {
      system: isTuned ? 'graphile-worker-tuned' : 'graphile-worker',
      event_tables: ['graphile_worker._private_jobs'],
      extensions: [],
      version: 'graphile-worker',
      schema_version: '',
    },
    async start() {
      runner = await runWorker({
        connectionString: url,
        noHandleSignals: true,
        preset: {
          worker: {
            concurrentJobs: workers,
            maxPoolSize: workers + 1,
            ...(isTuned
              ? { localQueue: { size: batch }, completeJobBatchDelay: 0, failJobBatchDelay: 0 }
              : {}),
          },
        },
        taskList: {
          bench: (payload, { withPgClient }) =>
            run(payload, (text, values) => withPgClient((client) => client.query(text, values))),
        },
      });
    },
    enqueue: (payloads) =>
      utils.addJobs(payloads.map((payload) => ({ identifier: 'bench', payload, maxAttempts: 25 }))),
    async depth() {
      const { rows } = await plain.query(
        'SELECT count(*)::int AS jobs FROM graphile_worker.jobs WHERE locked_at IS NULL',
      );
      return rows[0].jobs;
    },
    async stop() {
      await runner.stop();
      await utils.release();
      await plain.end();
    },
  };
}
