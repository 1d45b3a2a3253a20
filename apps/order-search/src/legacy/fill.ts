import { Invent } from './invent.js';
import { insert, type LegacyDatabase } from './legacy-database.js';
import { insertOrders, type Stock } from './order-rows.js';

/** Orders of one transaction. */
const STEP = 500;
const MAKERS = 40;
const ITEMS = 600;
const PER_CUSTOMER = 4;

/** How many items and customers come with so many orders. */
export function stockFor(orders: number): Stock {
  return { items: ITEMS, customers: Math.max(1, Math.ceil(orders / PER_CUSTOMER)) };
}

/**
 * Fills the old system's tables up to so many orders. What a call that was broken off has written is kept.
 *
 * @param onProgress Called with the number of orders so far.
 */
export async function fill(
  database: LegacyDatabase,
  orders: number,
  { onProgress }: { onProgress?: (orders: number) => void } = {},
): Promise<void> {
  const invent = new Invent(1);
  const stock = stockFor(orders);
  await fillStock(database, invent, stock);
  for (const numbers of stepsOf((await last(database, 'ord_no', 'ordhdr')) + 1, orders)) {
    await database.transaction((session) => insertOrders(session, invent, numbers, stock));
    onProgress?.(numbers.at(-1) ?? 0);
  }
  await database.analyze();
}

/**
 * Fills the tables that orders refer to.
 *
 * @public scale.mjs runs the built file.
 */
export async function fillStock(database: LegacyDatabase, invent: Invent, stock: Stock): Promise<void> {
  if ((await last(database, 'mkr_no', 'mkrmst')) === 0) await fillItems(database, invent);
  for (const customers of stepsOf((await last(database, 'cus_no', 'cusmst')) + 1, stock.customers))
    await fillCustomers(database, invent, customers);
}

async function fillItems(database: LegacyDatabase, invent: Invent): Promise<void> {
  const makers = numbersOf(1, MAKERS);
  const items = numbersOf(1, ITEMS);
  await database.transaction(async (session) => {
    await insert(
      session,
      'mkrmst',
      'mkr_no, name',
      makers.map((no) => [no, invent.maker()]),
    );
    await insert(
      session,
      'itmmst',
      'itm_no, mkr_no, part_no, name',
      items.map((no) => [no, invent.whole(1, MAKERS), invent.partNo(), invent.item()]),
    );
    await insert(
      session,
      'itmtxt',
      'itm_no, lang, txt',
      items.map((no) => [no, 'en', invent.itemText()]),
    );
  });
}

async function fillCustomers(
  database: LegacyDatabase,
  invent: Invent,
  customers: readonly number[],
): Promise<void> {
  await database.transaction(async (session) => {
    await insert(
      session,
      'cusmst',
      'cus_no, name, email, vat_no',
      customers.map((no) => [no, invent.name(), invent.email(), invent.happens(0.3) ? invent.vatNo() : null]),
    );
    await insert(
      session,
      'cusadr',
      'cus_no, adr_no, street, zip, city, country',
      customers.map((no) => [no, 1, ...invent.address()]),
    );
    await insert(
      session,
      'cusphn',
      'cus_no, phn_no, phone',
      customers.map((no) => [no, 1, invent.phone()]),
    );
  });
}

async function last(database: LegacyDatabase, column: string, table: string): Promise<number> {
  const [number = 0] = await database.numbers(`SELECT COALESCE(MAX(${column}), 0) FROM ${table}`);
  return number;
}

/** The numbers in steps of one transaction each. */
function* stepsOf(first: number, end: number): Generator<number[]> {
  for (let from = first; from <= end; from += STEP) yield numbersOf(from, Math.min(end, from + STEP - 1));
}

function numbersOf(first: number, end: number): number[] {
  return Array.from({ length: Math.max(0, end - first + 1) }, (_, index) => first + index);
}
