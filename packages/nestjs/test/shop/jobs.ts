import { failedJob } from '@rowlock/core';
import { z } from 'zod';

// What the shop enqueues. Nothing here knows a service, so a web process may import all of it.

export const OrderFailed = { kind: 'order.failed', payload: failedJob };

/** All orders of a customer that wait are confirmed in one run, by one mail. */
export const ConfirmOrder = {
  kind: 'order.confirm',
  payload: z.object({ order: z.number() }),
  group: true,
  attempts: 1,
  onFailed: OrderFailed,
};

/** At most two bills of a tenant are written at once, and sixty a minute. */
export const BillOrder = {
  kind: 'order.bill',
  payload: z.object({ order: z.number(), tenant: z.string() }),
  limit: ({ payload }: { payload: unknown }) => ({
    ...{ name: `bills:${Object(payload).tenant}`, max: 2 },
    ...{ starts: 60, per: '1m', burst: 60 },
  }),
} as const;

export const NightlyReport = { kind: 'report.nightly', payload: z.object({ of: z.string() }) };
