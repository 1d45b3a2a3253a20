import { capturedJob, defineCapture, failedJob } from '@rowlock/core';
import { z } from 'zod';

// What the shop does later, without the code that does it: a web process needs no more of its jobs.

export const Order = z.object({
  order: z.number(),
  tenant: z.string(),
  customer: z.string(),
  product: z.string(),
});

export const OrderFailed = { kind: 'order.failed', payload: failedJob };

/** Its key is the customer, whose orders take their stock one by one, in their order. */
export const ReserveStock = { kind: 'stock.reserve', payload: Order, onFailed: OrderFailed };

/** Waits until earlier orders of the customer have their stock, and confirms all in one run, by one mail. */
export const ConfirmOrders = {
  kind: 'order.confirm',
  payload: Order,
  after: [ReserveStock.kind],
  group: true,
  onFailed: OrderFailed,
};

/** A tenant has two runs at once and 60 a minute. Jobs of the version before get the default currency. */
export const BillOrder = {
  kind: 'order.bill',
  payload: z.object({ order: z.number(), tenant: z.string(), currency: z.string().default('EUR') }),
  limit: ({ payload }: { readonly payload: { readonly tenant: string } }) => {
    return { name: `bills of ${payload.tenant}`, max: 2, starts: 60, per: '1m', burst: 5 };
  },
} as const;

/** Takes up to 20 s, so it holds a lease and no transaction. */
export const WriteReport = {
  kind: 'report.write',
  payload: z.object({}),
  claim: 'lease',
  timeout: '20s',
} as const;

export const nightly = { cron: '0 3 * * *', timeZone: 'Europe/Berlin', payload: {} };

/** A trigger adds a job for each row, whoever writes it. In a queue of its own, no other job waits for it. */
export const orderChanges = defineCapture({
  name: 'orders',
  table: 'orders',
  id: ['id'],
  key: 'customer',
  kind: 'order.changed',
  queue: 'changes',
  bulk: false,
});

export const OrdersChanged = { ...capturedJob(orderChanges), group: true };
