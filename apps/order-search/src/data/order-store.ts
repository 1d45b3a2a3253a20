import type { Entry } from '../search/entry.js';
import type { Term } from '../search/query.js';
import type { SourceRow } from '../search/sources.js';
import type { Found } from './found.js';
import type { Subject } from './subject.js';

/** A piece of all that a search finds. The newest orders come first, so that it goes on where the last one ended. */
export interface Page {
  /** All of its orders have smaller numbers. Undefined: it begins with the newest order. */
  readonly before?: number | undefined;
  /** How many orders it has at most. */
  readonly limit: number;
}

/** So many of the newest orders before a page are looked through before the text index is. */
export const NEWEST = 1_000;

/** Looking through orders for more words than these takes longer than the text index does. */
export const MOST_WORDS = 100;

/** No order has this number, or a larger one: the columns are INTEGER. */
export const BEYOND_ALL = 2 ** 31;

/** The rows of an order in one of the 17 tables, with their columns as the old applications see them. */
export interface LegacyTable {
  readonly table: string;
  readonly rows: readonly Readonly<Record<string, string | null>>[];
}

/** The search table, and what is read of the old system's. */
export interface OrderStore<Tx> {
  /**
   * Locks the search rows of these orders until the end of the transaction, and creates what is missing. Whoever indexes an order has
   * locked it before it reads the order's rows: so nobody overwrites what was read later.
   */
  lock(orders: readonly number[], tx: Tx): Promise<void>;
  /** What the 17 tables say of these orders now. */
  read(orders: readonly number[], tx: Tx): Promise<readonly SourceRow[]>;
  /** Writes entries, and removes the rows of those orders that have none. */
  write(orders: readonly number[], entries: readonly Entry[], tx: Tx): Promise<void>;

  /** The numbers of a subject's orders beyond one, or from the first on, in order, at most `limit`. */
  ordersOf(subject: Subject, beyond: number | null, limit: number, tx: Tx): Promise<readonly number[]>;
  /** How many orders there are. @throws while the old system's tables are not there. */
  orders(): Promise<number>;

  /** The orders that each of the terms finds, the newest first. */
  search(terms: readonly Term[], page: Page, signal?: AbortSignal): Promise<readonly Found[]>;
  /** Those of these orders that can be found, as they were given. */
  entries(orders: readonly number[], signal?: AbortSignal): Promise<readonly Found[]>;
  /** The numbers of the newest orders that can be found, at most `limit`. */
  newest(limit: number): Promise<readonly number[]>;
  /** How many orders can be found. */
  size(): Promise<number>;
  /** An order as it is in the 17 tables: those that have rows of it. */
  order(orderNo: number): Promise<readonly LegacyTable[]>;

  /** Creates the search table. */
  migrate(): Promise<void>;
  close(): Promise<void>;
}
