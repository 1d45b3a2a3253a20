import { createRowlock } from '@rowlock/core';
import { defineHandler, postgres } from '@rowlock/driver-postgres';
import pg from 'pg';
import { z } from 'zod';

const pool = new pg.Pool({ connectionString: process.env.DATABASE_URL });
await pool.query('CREATE TABLE found (product int PRIMARY KEY)');

const Index = defineHandler({
  kind: 'product.index',
  payload: z.object({}),
  group: { keys: 50 }, // one run takes the jobs of up to 50 products
  async run({ jobs, tx }) {
    const products = [...new Set(jobs.map(({ key }) => Number(key)))];
    await tx.query('INSERT INTO found SELECT unnest($1::int[]) ON CONFLICT DO NOTHING', [products]);
  },
});
const rowlock = createRowlock({ driver: postgres({ pool }), handlers: [Index] });
await rowlock.migrate();

const changes = Array.from({ length: 400 }, (_, change) => ({ key: `${change % 100}`, payload: {} }));
await rowlock.enqueueMany(Index, changes);

const worker = rowlock.worker({ concurrency: 1 });
let open = changes.length;
const done = new Promise<void>((resolve) =>
  worker.on('settled', ({ jobs }) => {
    open -= jobs.length;
    if (open === 0) resolve();
  }),
);
await worker.start();
await done;

const { rowCount } = await pool.query('SELECT FROM found');
console.log(rowCount, 'products'); // 100 products
await worker.stop();
await rowlock.close();
await pool.end();
