import type { Invent } from './invent.js';
import { insert, type LegacySession, type Value } from './legacy-database.js';

/** How many items and customers there are to order. */
export interface Stock {
  readonly items: number;
  readonly customers: number;
}

type Rows = Record<keyof typeof COLUMNS, (readonly Value[])[]>;

/** Writes whole orders with all that comes after them: lines, serial numbers, shipments, payments, notes. */
export async function insertOrders(
  session: LegacySession,
  invent: Invent,
  orders: readonly number[],
  stock: Stock,
): Promise<void> {
  const rows = rowsOf(invent, orders, stock);
  for (const table of TABLES) await insert(session, table, COLUMNS[table], rows[table]);
}

function rowsOf(invent: Invent, orders: readonly number[], stock: Stock): Rows {
  const rows: Rows = {
    ordhdr: [],
    orditm: [],
    ordser: [],
    ordcmt: [],
    ordcon: [],
    wtynot: [],
    shphdr: [],
    shpitm: [],
    invhdr: [],
    paymnt: [],
    rtnhdr: [],
  };
  for (const order of orders) {
    rows.ordhdr.push([
      order,
      invent.whole(1, stock.customers),
      invent.date(),
      invent.status(),
      invent.branch(),
      invent.happens(0.5) ? invent.reference() : null,
    ]);
    const lines = invent.whole(1, 4);
    for (let line = 1; line <= lines; line += 1) {
      rows.orditm.push([order, line, invent.whole(1, stock.items), invent.whole(1, 12), invent.price()]);
      if (invent.happens(0.6)) rows.ordser.push([order, line, invent.serial()]);
      rows.shpitm.push([order, line, order, invent.box()]);
    }
    rows.ordcon.push([order, 1, invent.name(), invent.phone()]);
    rows.shphdr.push([order, order, invent.carrier(), invent.tracking()]);
    rows.invhdr.push([order, order, invent.price()]);
    rows.paymnt.push([order, order, invent.method(), invent.reference(), invent.price()]);
    if (invent.happens(0.5)) rows.ordcmt.push([order, 1, invent.comment()]);
    if (invent.happens(0.2)) rows.wtynot.push([order, 1, invent.name(), invent.note()]);
    if (invent.happens(0.05)) rows.rtnhdr.push([order, order, invent.complaint()]);
  }
  return rows;
}

const COLUMNS = {
  ordhdr: 'ord_no, cus_no, ord_dat, status, branch, cus_ref',
  orditm: 'ord_no, lin_no, itm_no, qty, price',
  ordser: 'ord_no, lin_no, ser_no',
  ordcmt: 'ord_no, seq_no, txt',
  ordcon: 'ord_no, seq_no, name, phone',
  wtynot: 'ord_no, seq_no, clerk, txt',
  shphdr: 'shp_no, ord_no, carrier, trk_no',
  shpitm: 'shp_no, lin_no, ord_no, box',
  invhdr: 'inv_no, ord_no, amount',
  paymnt: 'pay_no, ord_no, method, ref, amount',
  rtnhdr: 'rtn_no, ord_no, reason',
};

const TABLES: readonly (keyof typeof COLUMNS)[] = [
  'ordhdr',
  'orditm',
  'ordser',
  'ordcmt',
  'ordcon',
  'wtynot',
  'shphdr',
  'shpitm',
  'invhdr',
  'paymnt',
  'rtnhdr',
];
