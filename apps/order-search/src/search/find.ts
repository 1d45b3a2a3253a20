import type { Found } from '../data/found.js';
import type { OrderStore, Page } from '../data/order-store.js';
import { narrowedTo, wordsBeyond } from './narrow.js';
import { nearOf } from './near.js';
import { ordersIn, type Term, termsOf } from './query.js';

/** What a search found. */
export interface Findings {
  /** Orders whose numbers were typed, and then the newest ones. */
  readonly orders: readonly Found[];
  /** The next page begins before this order. Undefined: this is the last page. */
  readonly next: number | undefined;
  /** What the orders have in common. */
  readonly terms: readonly Term[];
  /** Words that are one typing error away from those that were typed, which nothing has. Otherwise empty. */
  readonly near: readonly string[];
}

/** Finds what was typed, or where nothing has that, what is one typing error away from it. */
export async function find<Tx>(
  store: OrderStore<Tx>,
  typed: string,
  page: Page,
  signal?: AbortSignal,
): Promise<Findings> {
  const terms = termsOf(typed);
  const named = await store.entries(ordersIn(typed), signal);
  const found = await pageOf(terms, page);
  const near = nearOf(terms);
  const mayBeNear = near.flat(3).length > terms.flat(3).length;
  if (found.orders.length > 0 || !mayBeNear || !(await isUnknown())) return { ...found, terms, near: [] };
  const nearly = await pageOf(near, page);
  const narrow = narrowedTo(nearly.orders, near);
  return { ...nearly, terms: narrow, near: wordsBeyond(narrow, narrowedTo(nearly.orders, terms)) };

  /** An address may lead behind the last page of what there is. */
  async function isUnknown(): Promise<boolean> {
    if (page.before === undefined) return true;
    return named.length === 0 && (await store.search(terms, { limit: 1 }, signal)).length === 0;
  }

  async function pageOf(
    wanted: readonly Term[],
    { before, limit }: Page,
  ): Promise<Pick<Findings, 'orders' | 'next'>> {
    const first = before === undefined ? named : [];
    const isNamed = new Set(named.map(({ orderNo }) => orderNo));
    const newest = await store.search(wanted, { before, limit: limit + 1 + named.length }, signal);
    const others = newest.filter(({ orderNo }) => !isNamed.has(orderNo));
    const shown = others.slice(0, limit - first.length);
    const next = others.length > shown.length ? shown.at(-1)?.orderNo : undefined;
    return { orders: [...first, ...shown], next };
  }
}
