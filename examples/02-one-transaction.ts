import { createRowlock } from '@rowlock/core';
import { defineHandler, postgres } from '@rowlock/driver-postgres';
import pg from 'pg';
import { z } from 'zod';

const pool = new pg.Pool({ connectionString: process.env.DATABASE_URL });
await pool.query('CREATE TABLE IF NOT EXISTS orders (id int PRIMARY KEY, confirmed boolean DEFAULT false)');

const Confirm = defineHandler({
  kind: 'order.confirm',
  payload: z.object({ order: z.number().int() }),
  // What the handler writes through `tx` commits together with the job, or not at all.
  run: async ({ job, tx }) => {
    await tx.query('UPDATE orders SET confirmed = true WHERE id = $1', [job.payload.order]);
  },
});
const rowlock = createRowlock({ driver: postgres({ pool }), handlers: [Confirm] });
await rowlock.migrate();
const worker = rowlock.worker();
const settled = new Promise((resolve) => worker.on('settled', resolve));
await worker.start();

// The job is enqueued by the commit of your own transaction, or not at all.
const client = await pool.connect();
await client.query('BEGIN');
await client.query('INSERT INTO orders (id) VALUES (7)');
await rowlock.enqueue(Confirm, { payload: { order: 7 } }, { tx: client });
await client.query('COMMIT');
client.release();

await settled;
console.log((await pool.query('SELECT * FROM orders')).rows); // [ { id: 7, confirmed: true } ]
await worker.stop();
await rowlock.close();
await pool.end();
