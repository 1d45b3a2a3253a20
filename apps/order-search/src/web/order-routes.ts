import { Problem } from '@rowlock/app-shared/web';
import type { Rowlock } from '@rowlock/core';
import express, { type Response, type Router } from 'express';
import { z } from 'zod';
import { QUEUE } from '../captures.js';
import type { OrderStore } from '../data/order-store.js';
import { examplesOf } from '../search/examples.js';
import { find } from '../search/find.js';
import { resultOf } from './results.js';
import type { ChangeView, ExampleView, OrderView, ResultsView } from './views.js';

/** Results of one search. */
const RESULTS = 20;
/** Words that are shown in the place of what was typed. */
const NEAR = 5;
/** Changes in an order's history. */
const CHANGES = 50;

const OrderNo = z.coerce
  .number()
  .int()
  .min(-(2 ** 31))
  .max(2 ** 31 - 1);
const Query = z.object({
  q: z.string().max(200).default(''),
  before: OrderNo.optional(),
});

/** The search, and single orders. */
export function orderRoutes<Tx>(rowlock: Rowlock<Tx>, store: OrderStore<Tx>): Router {
  const routes = express.Router();
  routes.get('/search', async (req, res) => {
    const query = Query.safeParse(req.query);
    if (!query.success)
      throw new Problem(
        400,
        'q must be a text of at most 200 characters, and before the number of an order.',
      );
    const { q, before } = query.data;
    const signal = goneSignal(res);
    const start = performance.now();
    const found = await find(store, q, { before, limit: RESULTS }, signal).catch((error: unknown) => {
      if (!signal.aborted) throw error;
    });
    // Nobody waits for it any more.
    if (found === undefined) return;
    const ms = Math.round((performance.now() - start) * 10) / 10;
    const { terms, next = null, near } = found;
    const orders = found.orders.map((each) => resultOf(each, terms));
    res.json({ orders, before: before ?? null, next, near: near.slice(0, NEAR), ms } satisfies ResultsView);
  });
  routes.get('/examples', async (_req, res) => {
    const [newest, ...others] = await store.newest(2);
    const tables = newest === undefined ? [] : await store.order(newest);
    const orders = newest === undefined ? [] : [newest, ...others];
    res.json(examplesOf(tables, orders) satisfies readonly ExampleView[]);
  });
  routes.get('/orders/:orderNo', async (req, res) => {
    const orderNo = OrderNo.safeParse(req.params.orderNo);
    if (!orderNo.success) throw new Problem(404, 'An order has a number.');
    const [tables, changes] = await Promise.all([
      store.order(orderNo.data),
      changesOf(rowlock, String(orderNo.data)),
    ]);
    if (tables.length === 0 && changes.length === 0)
      throw new Problem(404, `There is no order ${orderNo.data}.`);
    res.json({ orderNo: orderNo.data, tables, changes } satisfies OrderView);
  });
  return routes;
}

/** Aborted when whoever asked has gone before the answer. */
function goneSignal(res: Response): AbortSignal {
  const gone = new AbortController();
  res.once('close', () => gone.abort());
  return gone.signal;
}

/** The captured changes are the jobs of the order's key: settled jobs are the log. */
async function changesOf<Tx>(rowlock: Rowlock<Tx>, key: string): Promise<readonly ChangeView[]> {
  const { jobs } = await rowlock.jobs.list({ queue: QUEUE, kind: 'order.changed', key, limit: CHANGES });
  return jobs.map(({ payload, createdAt, status, finishedAt }) => {
    const { capture, op } = Change.parse(payload);
    const indexedAt = status === 'complete' ? (finishedAt?.toISOString() ?? null) : null;
    return { table: capture, op, at: createdAt.toISOString(), indexedAt };
  });
}

const Change = z.object({ capture: z.string(), op: z.string() });
