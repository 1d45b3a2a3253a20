import { readFileSync } from 'node:fs';
import { createRowlock, defineHandler } from '@rowlock/core';
import { postgres } from '@rowlock/driver-postgres';
import { z } from 'zod';

/** @param run What each job does: it is given the payload, and a query of the job's own transaction */
export async function open({ url, workers, batch, system = 'rowlock' }, run) {
  const Bench = defineHandler({
    kind: 'bench',
    payload: z.object({ id: z.string(), at: z.number(), padding: z.string() }),
    batch,
    run: ({ job, tx }) => run(job.payload, (text, values) => tx.query(text, values)),
  });
  const rowlock = createRowlock({ driver: postgres({ connectionString: url }), handlers: [Bench] });
  const { to } = await rowlock.migrate();
  const worker = rowlock.worker({ concurrency: workers });
  return {
    descriptor: {
      system,
      event_tables: ['rowlock.job', 'rowlock.run'],
      extensions: [],
      version: `@rowlock/core@${version()}`,
      schema_version: String(to),
    },
    start: () => worker.start(),
    enqueue: (payloads) =>
      rowlock.enqueueMany(
        Bench,
        payloads.map((payload) => ({ payload })),
      ),
    async depth() {
      const { count } = await rowlock.jobs.count({ kind: Bench.kind, status: 'new' });
      return count;
    },
    async stop() {
      await worker.stop({ drain: 2_000 });
      await rowlock.close();
    },
  };
}

function version() {
  const manifest = new URL('../package.json', import.meta.resolve('@rowlock/core'));
  return JSON.parse(readFileSync(manifest, 'utf8')).version;
}
