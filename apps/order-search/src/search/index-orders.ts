import type { OrderStore } from '../data/order-store.js';
import { entriesOf } from './entry.js';

/**
 * Brings the search rows of these orders up to date, in the caller's transaction. What commits after this has read is captured, and is
 * another job's.
 *
 * @returns how many of the orders exist.
 */
export async function indexOrders<Tx>(
  store: OrderStore<Tx>,
  orders: readonly number[],
  tx: Tx,
): Promise<number> {
  // Two transactions that lock in different orders would wait for each other.
  const sorted = [...new Set(orders)].sort((a, b) => a - b);
  if (sorted.length === 0) return 0;
  await store.lock(sorted, tx);
  const entries = entriesOf(await store.read(sorted, tx));
  await store.write(sorted, entries, tx);
  return entries.length;
}
