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
  const pageOf = async (wanted: readonly Term[]) => {
    const limit = page.limit + 1 + named.length;
    return cut(named, await store.search(wanted, { ...page, limit }, signal), page);
  };
  const exactly = { ...(await pageOf(terms)), terms, near: [] };
  if (exactly.orders.length > 0 || terms.length === 0) return exactly;
  // An address may lead behind the last page of what there is.
  const isThere = async () => named.length > 0 || (await isFound(store, terms, signal));
  if (page.before !== undefined && (await isThere())) return exactly;
  const wanted = await nearTermsOf(store, terms, signal);
  const nearly = await pageOf(wanted);
  const narrow = narrowedTo(nearly.orders, wanted);
  return { ...nearly, terms: narrow, near: wordsBeyond(narrow, narrowedTo(nearly.orders, terms)) };
}

/** A page of the orders that were typed, and of the newest ones that were found. */
function cut(
  named: readonly Found[],
  newest: readonly Found[],
  { before, limit }: Page,
): Pick<Findings, 'orders' | 'next'> {
  const first = before === undefined ? named : [];
  const isNamed = new Set(named.map(({ orderNo }) => orderNo));
  const others = newest.filter(({ orderNo }) => !isNamed.has(orderNo));
  const shown = others.slice(0, limit - first.length);
  const next = others.length > shown.length ? shown.at(-1)?.orderNo : undefined;
  return { orders: [...first, ...shown], next };
}

/** Terms that nothing has, with what is near them, and the others as they are. Where each has something, all with what is near. */
async function nearTermsOf<Tx>(
  store: OrderStore<Tx>,
  terms: readonly Term[],
  signal?: AbortSignal,
): Promise<readonly Term[]> {
  if (terms.length === 1) return nearOf(terms);
  const known = new Set<Term>();
  for (const term of terms) if (await isFound(store, [term], signal)) known.add(term);
  if (known.size === terms.length) return nearOf(terms);
  const near = nearOf(terms.filter((term) => !known.has(term)));
  return [...known, ...near];
}

async function isFound<Tx>(
  store: OrderStore<Tx>,
  terms: readonly Term[],
  signal?: AbortSignal,
): Promise<boolean> {
  return (await store.search(terms, { limit: 1 }, signal)).length > 0;
}
