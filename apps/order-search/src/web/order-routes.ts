import { Problem } from '@rowlock/app-parts/web';
import type { Rowlock } from '@rowlock/core';
import express, { type Router } from 'express';
import { z } from 'zod';
import { QUEUE } from '../captures.js';
import type { OrderStore } from '../data/order-store.js';
import { termsOf } from '../search/query.js';
import { resultOf } from './results.js';
import type { ChangeView, OrderView, ResultsView } from './views.js';

/** Results of one search. */
const RESULTS = 20;
/** Changes in an order's history. */
const CHANGES = 50;

const Query = z.object({ q: z.string().max(200).default('') });
const OrderNo = z.coerce.number().int().min(1).max(2_147_483_647);

/** The search, and single orders. */
export function orderRoutes<Tx>(rowlock: Rowlock<Tx>, store: OrderStore<Tx>): Router {
  const routes = express.Router();
  routes.get('/search', async (req, res) => {
    const query = Query.safeParse(req.query);
    if (!query.success) throw new Problem(400, 'q must be a text of at most 200 characters.');
    const terms = termsOf(query.data.q);
    const start = performance.now();
    const found = await store.search(terms, RESULTS + 1);
    const ms = Math.round((performance.now() - start) * 10) / 10;
    const orders = found.slice(0, RESULTS).map((each) => resultOf(each, terms));
    res.json({ orders, hasMore: found.length > RESULTS, ms } satisfies ResultsView);
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
