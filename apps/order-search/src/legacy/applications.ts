import type { Invent } from './invent.js';
import { insert, type LegacyDatabase, type LegacySession, RolledBack } from './legacy-database.js';
import { insertOrders, type Stock } from './order-rows.js';

/** What the old applications work on. */
export interface Business {
  readonly invent: Invent;
  readonly stock: Stock;
  /** Numbers for new rows, which no other writer takes. */
  nextNo(): number;
  /** The number of an order that may be there. */
  anyOrder(): number;
}

type Action = (session: LegacySession, business: Business) => Promise<unknown>;

/** How often a clerk changes their mind when everything is typed in. */
const ROLLED_BACK = 0.1;

/** One action of one of the old applications, in a transaction of its own. @returns whether it was committed. */
export async function act(database: LegacyDatabase, business: Business): Promise<boolean> {
  const action = ACTIONS[business.invent.whole(0, ACTIONS.length - 1)];
  try {
    await database.transaction(async (session) => {
      await action?.(session, business);
      if (business.invent.happens(ROLLED_BACK)) throw new RolledBack();
    });
    return true;
  } catch (error) {
    if (error instanceof RolledBack) return false;
    throw error;
  }
}

const takeOrder: Action = async (session, { invent, stock, nextNo }) =>
  insertOrders(session, invent, [nextNo()], stock);

const newCustomer: Action = async (session, { invent, nextNo }) => {
  const no = nextNo();
  await insert(session, 'cusmst', 'cus_no, name, email, vat_no', [[no, invent.name(), invent.email(), null]]);
  await insert(session, 'cusadr', 'cus_no, adr_no, street, zip, city, country', [
    [no, 1, ...invent.address()],
  ]);
  await insert(session, 'cusphn', 'cus_no, phn_no, phone', [[no, 1, invent.phone()]]);
};

const move: Action = async (session, { invent, stock }) =>
  session.run('UPDATE cusadr SET street = ?, zip = ?, city = ?, country = ? WHERE cus_no = ?', [
    ...invent.address(),
    invent.whole(1, stock.customers),
  ]);

const otherPhone: Action = async (session, { invent, stock }) =>
  session.run('UPDATE cusphn SET phone = ? WHERE cus_no = ? AND phn_no = 1', [
    invent.phone(),
    invent.whole(1, stock.customers),
  ]);

const otherName: Action = async (session, { invent, stock }) =>
  session.run('UPDATE cusmst SET name = ? WHERE cus_no = ?', [
    invent.name(),
    invent.whole(1, stock.customers),
  ]);

const otherHands: Action = async (session, { invent, stock, anyOrder }) =>
  session.run('UPDATE ordhdr SET cus_no = ? WHERE ord_no = ?', [
    invent.whole(1, stock.customers),
    anyOrder(),
  ]);

const progress: Action = async (session, { invent, anyOrder }) =>
  session.run('UPDATE ordhdr SET status = ? WHERE ord_no = ?', [invent.status(), anyOrder()]);

const ship: Action = async (session, { invent, anyOrder }) =>
  session.run('UPDATE shphdr SET carrier = ?, trk_no = ? WHERE ord_no = ?', [
    invent.carrier(),
    invent.tracking(),
    anyOrder(),
  ]);

const pay: Action = async (session, { invent, anyOrder, nextNo }) =>
  insert(session, 'paymnt', 'pay_no, ord_no, method, ref, amount', [
    [nextNo(), anyOrder(), invent.method(), invent.reference(), invent.price()],
  ]);

const note: Action = async (session, { invent, anyOrder, nextNo }) =>
  insert(session, 'wtynot', 'ord_no, seq_no, clerk, txt', [
    [anyOrder(), nextNo(), invent.name(), invent.note()],
  ]);

const comment: Action = async (session, { invent, anyOrder, nextNo }) =>
  insert(session, 'ordcmt', 'ord_no, seq_no, txt', [[anyOrder(), nextNo(), invent.comment()]]);

const giveBack: Action = async (session, { invent, anyOrder, nextNo }) =>
  insert(session, 'rtnhdr', 'rtn_no, ord_no, reason', [[nextNo(), anyOrder(), invent.complaint()]]);

const dropLine: Action = async (session, { anyOrder }) => {
  const order = anyOrder();
  for (const table of ['ordser', 'orditm'])
    await session.run(`DELETE FROM ${table} WHERE ord_no = ? AND lin_no = 1`, [order]);
};

const dropOrder: Action = async (session, { anyOrder }) => {
  const order = anyOrder();
  for (const table of OF_ORDER) await session.run(`DELETE FROM ${table} WHERE ord_no = ?`, [order]);
};

const otherSerial: Action = async (session, { invent, anyOrder }) =>
  session.run('UPDATE ordser SET ser_no = ? WHERE ord_no = ? AND lin_no = 2', [invent.serial(), anyOrder()]);

/** What the night's batch job does: many rows by one statement. */
const nightly: Action = async (session, { invent, anyOrder }) => {
  const from = anyOrder();
  await session.run("UPDATE ordhdr SET status = 'closed' WHERE ord_no BETWEEN ? AND ?", [
    from,
    from + invent.whole(5, 40),
  ]);
};

const otherItemText: Action = async (session, { invent, stock }) =>
  session.run('UPDATE itmtxt SET txt = ? WHERE itm_no = ?', [
    `${invent.itemText()} ${invent.itemText()}`,
    invent.whole(1, stock.items),
  ]);

/** Rarely a maker has another name, which is part of very many orders. */
const otherMaker: Action = async (session, { invent }) => {
  if (invent.happens(0.05))
    await session.run('UPDATE mkrmst SET name = ? WHERE mkr_no = ?', [invent.maker(), invent.whole(1, 40)]);
};

/** The frequent ones are there more than once. */
const ACTIONS: readonly Action[] = [
  takeOrder,
  takeOrder,
  newCustomer,
  move,
  otherPhone,
  otherName,
  otherHands,
  progress,
  progress,
  progress,
  ship,
  ship,
  pay,
  pay,
  note,
  note,
  note,
  comment,
  giveBack,
  dropLine,
  dropOrder,
  otherSerial,
  nightly,
  otherItemText,
  otherMaker,
];

/** Everything of an order, what leads to it last. */
const OF_ORDER = [
  'rtnhdr',
  'paymnt',
  'invhdr',
  'shpitm',
  'shphdr',
  'wtynot',
  'ordcon',
  'ordcmt',
  'ordser',
  'orditm',
  'ordhdr',
];
