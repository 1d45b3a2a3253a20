import { type ChangeOf, capturedJob, defineHandler, type RunContext } from '@rowlock/core';
import { capturesOf, type OrderCapture, subjectsOf, TOGETHER } from '../captures.js';
import type { OrderStore } from '../data/order-store.js';
import { indexOrders } from '../search/index-orders.js';
import type { LegacySchema } from '../search/sources.js';
import { over, Spread } from './spread.js';

/** Indexes orders, each once for all of its changes that wait. The search rows and the settlement commit together. */
export function orderChanged<Tx>(store: OrderStore<Tx>, legacy: LegacySchema) {
  return defineHandler({
    ...capturedJob(...capturesOf(legacy, 'order')),
    group: TOGETHER,
    async run({ jobs, tx, enqueue }: RunContext<ChangeOf<OrderCapture>, Tx>) {
      const { numbers, isOfAll } = subjectsOf('order', jobs);
      await indexOrders(store, numbers, tx);
      if (isOfAll) await enqueue(Spread, over({ of: 'all', no: 0 }));
    },
  });
}
