import { append, createRowlock, increment, merge } from '@rowlock/core';
import { defineHandler, postgres } from '@rowlock/driver-postgres';
import { updateJson } from '@rowlock/rows/postgres';
import pg from 'pg';
import { z } from 'zod';

const pool = new pg.Pool({ connectionString: process.env.DATABASE_URL });
await pool.query(`CREATE TABLE account (id bigint PRIMARY KEY, stats jsonb)`);
await pool.query('INSERT INTO account VALUES (7, NULL)');

const Import = defineHandler({
  kind: 'import',
  payload: z.object({ rows: z.number() }),
  async run({ job, tx, progress }) {
    for (let row = 0; row < job.payload.rows; row++) progress.update([increment('rows')]);
    // Your own table: in the handler's transaction here, and with a pool or a client elsewhere.
    const stats = { table: 'account', column: 'stats', where: { id: 7 } };
    await updateJson(tx, stats, [increment('imports'), increment('rows', job.payload.rows)]);
    return job.metadata;
  },
});
const rowlock = createRowlock({ driver: postgres({ pool }), handlers: [Import] });
await rowlock.migrate();

const { publicId } = await rowlock.enqueue(Import, { payload: { rows: 3 }, metadata: { log: [] } });
// Several processes at once lose nothing of each other.
await Promise.all([
  rowlock.jobs.updateMetadata(publicId, [increment('counters.opened'), append('log', ['opened by Ada'])]),
  rowlock.jobs.updateMetadata(publicId, [increment('counters.opened'), merge('owner', { name: 'Ben' })]),
]);

const worker = rowlock.worker();
const settled = new Promise((resolve) => worker.on('settled', resolve));
await worker.start();
await settled;
console.log((await rowlock.find(publicId))?.metadata.counters); // { opened: 2 }
console.log((await pool.query('SELECT stats FROM account')).rows); // [ { stats: { rows: 3, imports: 1 } } ]
await worker.stop().then(() => rowlock.close().then(() => pool.end()));
