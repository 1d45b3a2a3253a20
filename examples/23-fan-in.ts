import { createRowlock } from '@rowlock/core';
import { defineHandler, postgres } from '@rowlock/driver-postgres';
import { z } from 'zod';

const Part = defineHandler({
  kind: 'report.part',
  payload: z.object({ month: z.number() }),
  run: ({ job }) => job.payload.month * 100,
});

const Total = defineHandler({
  kind: 'report.total',
  payload: z.object({ parts: z.array(z.string()) }),
  async run({ job, tx }) {
    const { rows } = await tx.query<{ total: number }>(
      `SELECT sum(output::integer)::integer AS total FROM rowlock.job
       WHERE public_id = ANY($1::uuid[]) AND status = 'complete'`, // a part may have failed
      [job.payload.parts],
    );
    return rows[0]?.total ?? 0;
  },
});

const driver = postgres({ connectionString: process.env.DATABASE_URL });
const rowlock = createRowlock({ driver, handlers: [Part, Total] });
await rowlock.migrate();
const months = [1, 2, 3].map((month) => ({ payload: { month } }));
const parts = (await rowlock.enqueueMany(Part, months)).map(({ publicId }) => publicId);
const { publicId } = await rowlock.enqueue(Total, { payload: { parts }, after: parts });
console.log((await rowlock.insight.explain(publicId)).reasons[0]?.reason); // follows

const worker = rowlock.worker();
await worker.start();
console.log((await rowlock.settled(Total, publicId)).output); // 600
await worker.stop();
await rowlock.close();
