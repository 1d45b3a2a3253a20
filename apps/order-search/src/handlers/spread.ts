import { defineHandler, type RunContext } from '@rowlock/core';
import { z } from 'zod';
import type { OrderStore } from '../data/order-store.js';
import type { Subject } from '../data/subject.js';
import { indexOrders } from '../search/index-orders.js';

/** How many orders a run indexes. Changes of these orders wait for it, as it has locked their search rows. */
const STEP = 100;

/** A queue of its own, beside that of the changes of single orders, for which somebody may wait. */
export const WALKS = 'walks';

/** The orders of a subject, beyond one of them. Null: from the first on. */
const Stretch = z.object({
  of: z.enum(['all', 'customer', 'item', 'maker']),
  /** The subject's number. 0 of all orders. */
  no: z.int(),
  beyond: z.int().nullable(),
});

/**
 * The job that indexes all orders of a subject, step by step: each step enqueues the next one in its own transaction. One
 * walk at a time leaves the other slots and processors to the changes of single orders.
 */
export const Spread = {
  kind: 'orders.spread',
  queue: WALKS,
  payload: Stretch,
  limit: { name: 'walks', max: 1 },
};

/**
 * What to enqueue for the orders of a subject. The place is in the key: a walk that took along those that have just begun
 * would begin again with each change, and might never end.
 */
export function over({ of, no }: Subject, beyond: number | null = null) {
  return {
    payload: { of, no, beyond },
    key: `${of} ${no} ${beyond === null ? 'from the first' : `beyond ${beyond}`}`,
  };
}

/** One step for all walks of a subject that have come to the same place. */
export function spread<Tx>(store: OrderStore<Tx>) {
  return defineHandler({
    ...Spread,
    group: true,
    async run({ job, tx, enqueue }: RunContext<z.output<typeof Stretch>, Tx>): Promise<void> {
      const { of, no, beyond } = job.payload;
      const orders = await store.ordersOf({ of, no }, beyond, STEP, tx);
      await indexOrders(store, orders, tx);
      const last = orders.at(-1);
      if (last !== undefined && orders.length === STEP) await enqueue(Spread, over({ of, no }, last));
    },
  });
}
