import { createRowlock } from '@rowlock/core';
import { defineHandler, postgres } from '@rowlock/driver-postgres';
import { freshDatabase } from '@rowlock/servers';
import { emptyDatabase, jobsOf, runHandler } from '@rowlock/testing';
import pg from 'pg';
import { afterAll, beforeAll, beforeEach, expect, inject, test } from 'vitest';
import { z } from 'zod';

const { url, drop } = await freshDatabase(inject('postgresUrl'));

const pool = new pg.Pool({ connectionString: url });

const Order = z.object({ order: z.number() });

const Thank = defineHandler({
  kind: 'thank',
  payload: Order,
  run: ({ job }) => `thanked for ${job.payload.order}`,
});

const Confirm = defineHandler({
  kind: 'confirm',
  payload: Order,
  async run({ job, tx, enqueue }) {
    const { order } = job.payload;
    const { rowCount } = await tx.query('UPDATE orders SET confirmed = true WHERE id = $1', [order]);
    if (rowCount === 0) throw new Error(`There is no order ${order}.`);
    await enqueue(Thank, { payload: { order } });
    return { confirmed: order };
  },
});

const rowlock = createRowlock({ driver: postgres({ pool }), handlers: [Confirm, Thank] });

async function placeOrder(order: number) {
  await pool.query('INSERT INTO orders (id) VALUES ($1)', [order]);
  await rowlock.enqueue(Confirm, { payload: { order }, key: `order ${order}` });
}

beforeAll(async () => {
  await pool.query('CREATE TABLE orders (id integer, confirmed boolean)');
  await rowlock.migrate();
});
beforeEach(() => emptyDatabase(rowlock));
afterAll(async () => {
  await rowlock.close();
  await pool.end();
  await drop();
});

test('an order is confirmed, and its customer is thanked', async () => {
  const tx = await pool.connect();
  await tx.query('BEGIN');
  await tx.query('INSERT INTO orders (id) VALUES (7)');

  const { outcome, output, enqueued } = await runHandler(Confirm, { order: 7 }, { tx });
  expect({ outcome, output }).toEqual({ outcome: 'complete', output: { confirmed: 7 } });
  expect(enqueued).toMatchObject([{ kind: 'thank', payload: { order: 7 } }]);

  await tx.query('ROLLBACK');
  tx.release();
});

test('an order that is not there is tried again, and fails at last', async () => {
  const tx = await pool.connect();
  await tx.query('BEGIN');

  const first = await runHandler(Confirm, { order: 8 }, { tx });
  expect(first).toMatchObject({ outcome: 'retry', error: { message: 'There is no order 8.' } });
  const last = await runHandler(Confirm, { order: 8 }, { tx, attempt: 5 });
  expect(last.outcome).toBe('fail');

  await tx.query('ROLLBACK');
  tx.release();
});

test('who places an order enqueues its confirmation', async () => {
  const [job, ...others] = await jobsOf(rowlock, Confirm, () => placeOrder(9));
  expect(job).toMatchObject({ key: 'order 9', payload: { order: 9 } });
  expect(others).toEqual([]);
});

test('from the order to the thanks', async () => {
  await placeOrder(10);
  const { ended, completed, remaining } = await rowlock.runUntilIdle();
  expect({ ended, completed, left: remaining.waiting.count }).toEqual({
    ended: 'idle',
    completed: 2,
    left: 0,
  });
  const { jobs } = await rowlock.jobs.list({ kind: Thank.kind });
  expect(jobs).toMatchObject([{ status: 'complete', output: 'thanked for 10' }]);
});
