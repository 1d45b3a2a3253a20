import { capturedJob, createRowlock, defineCapture } from '@rowlock/core';
import { defineHandler, postgres } from '@rowlock/driver-postgres';
import pg from 'pg';

const pool = new pg.Pool({ connectionString: process.env.DATABASE_URL });
await pool.query('CREATE TABLE item (order_id bigint, line int, sku text, PRIMARY KEY (order_id, line))');
await pool.query('CREATE TABLE search (order_id bigint PRIMARY KEY, words text)');

const id = ['order_id', 'line'] as const;
const items = defineCapture({ name: 'items', table: 'item', id, key: 'order_id', kind: 'order.changed' });

const Index = defineHandler({
  ...capturedJob(items),
  group: true,
  async run({ key, jobs, tx }) {
    console.log(`order ${key}: ${jobs.length} changes, one run`);
    const words = "SELECT string_agg(sku, ' ' ORDER BY line) AS words FROM item WHERE order_id = $1";
    await tx.query(`INSERT INTO search SELECT $1, words FROM (${words}) AS now`, [key]);
  },
});

const rowlock = createRowlock({ driver: postgres({ pool }), handlers: [Index], captures: [items] });
await rowlock.migrate();
await rowlock.captures.apply();

// Any program, in any language, that has never heard of jobs.
await pool.query("INSERT INTO item VALUES (7, 1, 'oar'), (7, 2, 'rudder')");
await pool.query("UPDATE item SET sku = 'lock' WHERE line = 2");

const worker = rowlock.worker();
const done = new Promise((resolve) => worker.on('settled', resolve));
await worker.start();
await done;
console.log((await pool.query('SELECT * FROM search')).rows); // [ { order_id: '7', words: 'oar lock' } ]
await worker.stop();
await rowlock.close();
await pool.end();
