// A program that brings its own pool, as pg makes it: for own-pool.test.ts, which starts it.
import { createRowlock } from '@rowlock/core';
import { defineHandler, postgres } from '@rowlock/driver-postgres';
import pg from 'pg';

/** A schema that takes everything. */
const Anything = { '~standard': { version: 1, vendor: 'test', validate: (value) => ({ value }) } };

const pool = new pg.Pool({ connectionString: process.env.DATABASE_URL, max: 8 });
const kinds = ['hold', 'lease', 'batch', 'group', 'limited', 'quiet'].map((kind) =>
  defineHandler({
    kind,
    payload: Anything,
    ...(kind === 'lease' && { claim: 'lease' }),
    ...(kind === 'batch' && { batch: 5 }),
    ...(kind === 'group' && { group: true }),
    ...(kind === 'limited' && { limit: { name: 'few', max: 1 } }),
    async run({ job, jobs, tx, enqueue }) {
      if (kind === 'quiet') return null;
      await tx.query('SELECT 1');
      if (kind === 'hold' && job.payload === 0) await enqueue(kinds[5], { payload: 1 });
      if ((job ?? jobs[0]).payload === 3) throw new Error('It fails.');
      return null;
    },
    attempts: 1,
  }),
);
const log = { debug() {}, info() {}, warn() {}, error() {} };
const rowlock = createRowlock({ driver: postgres({ pool }), handlers: kinds, log });
await rowlock.migrate();
const ids = [];
for (const kind of kinds)
  for (const { publicId } of await rowlock.enqueueMany(
    kind,
    [0, 1, 2, 3].map((payload) => ({ payload, key: 'a', metadata: { of: kind.kind } })),
  ))
    ids.push(publicId);
await rowlock.worker({ concurrency: 4 }).start();
for (const id of ids) await rowlock.settled(id);
await rowlock.insight.stats();
await rowlock.insight.explain(ids[0]);
console.log('worked');
await rowlock.close();
await pool.end();
