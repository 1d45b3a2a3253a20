import { fail } from '@rowlock/core';
import { defineHandler } from '@rowlock/driver-postgres';
import { and, eq, gt, inArray, sql } from 'drizzle-orm';
import type { NodePgDatabase } from 'drizzle-orm/node-postgres';
import * as kinds from '../shared/kinds.js';
import type { Mails } from '../shared/mails.js';
import { countOpen, inRun, orders, stock } from './database.js';

const reserveStock = defineHandler({
  ...kinds.ReserveStock,
  async run({ job, key, tx, enqueue }) {
    const { order, product } = job.payload;
    const db = inRun(tx);
    const left = and(eq(stock.product, product), gt(stock.pieces, 0));
    const { rowCount } = await db
      .update(stock)
      .set({ pieces: sql`${stock.pieces} - 1` })
      .where(left);
    if (rowCount === 0) return fail(`${product} is sold out`);
    await db.update(orders).set({ state: 'reserved' }).where(eq(orders.id, order));
    await enqueue(kinds.ConfirmOrders, { key, payload: job.payload });
  },
});

const confirmOrders = (mails: Mails) =>
  defineHandler({
    ...kinds.ConfirmOrders,
    async run({ jobs, job, tx }) {
      const ids = jobs.map(({ payload }) => payload.order);
      await inRun(tx).update(orders).set({ state: 'confirmed' }).where(inArray(orders.id, ids));
      return mails.send(job.payload.customer, `${ids.length} confirmed`);
    },
  });

const billOrder = defineHandler({
  ...kinds.BillOrder,
  async run({ job, tx }) {
    const { order, currency } = job.payload;
    await inRun(tx).update(orders).set({ state: 'billed' }).where(eq(orders.id, order));
    return `billed in ${currency}`;
  },
});

const orderFailed = defineHandler({
  ...kinds.OrderFailed,
  async run({ job, tx }) {
    const { order } = kinds.Order.parse(job.payload.payload);
    await inRun(tx).update(orders).set({ state: 'failed' }).where(eq(orders.id, order));
  },
});

const ordersChanged = defineHandler({
  ...kinds.OrdersChanged,
  // In a real shop it writes to a search, or to another system.
  run: async ({ key, tx }) => `${await countOpen(inRun(tx), key ?? '')} open`,
});

const writeReport = (db: NodePgDatabase) =>
  defineHandler({
    ...kinds.WriteReport,
    async run({ signal, progress }) {
      const customers = await db.selectDistinct({ customer: orders.customer }).from(orders);
      const open: Record<string, number> = {};
      for (const [done, { customer }] of customers.entries()) {
        signal.throwIfAborted();
        progress({ done, of: customers.length });
        open[customer] = await countOpen(db, customer);
      }
      return open;
    },
  });

/** The code of the shop's jobs, with the services that it needs. */
export const handlersOf = (db: NodePgDatabase, mails: Mails) => {
  return [reserveStock, confirmOrders(mails), billOrder, orderFailed, ordersChanged, writeReport(db)];
};
