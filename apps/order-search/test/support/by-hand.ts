import { createConnection, type RowDataPacket } from 'mysql2/promise';
import pg from 'pg';

/** What is said of each order, one sorted list of `source: text` a number. */
export type Told = Readonly<Record<number, readonly string[]>>;

/** An independent reader: SQL of its own, on a connection of its own. */
export interface ByHand {
  /** What the search table holds. */
  indexed(): Promise<Told>;
  /** What a full rebuild would write, from the 17 tables. */
  rebuilt(): Promise<Told>;
  close(): Promise<void>;
}

export async function readByHand(url: string): Promise<ByHand> {
  return url.startsWith('mysql:') ? onMysql(url) : onPostgres(url);
}

async function onPostgres(connectionString: string): Promise<ByHand> {
  const client = new pg.Client({ connectionString, options: '-c search_path=legacy' });
  await client.connect();
  return {
    indexed: async () => {
      const { rows } = await client.query('SELECT ord_no AS n, lines AS t FROM orders.search');
      return parsed(rows);
    },
    rebuilt: async () => told((await client.query(REBUILD)).rows),
    close: () => client.end(),
  };
}

async function onMysql(uri: string): Promise<ByHand> {
  const client = await createConnection({ uri, charset: 'utf8mb4', dateStrings: true });
  const rows = async (sql: string) => (await client.query<(RowDataPacket & Row)[]>(sql))[0];
  return {
    indexed: async () => parsed(await rows('SELECT ord_no AS n, `lines` AS t FROM order_search')),
    rebuilt: async () => told(await rows(REBUILD)),
    close: () => client.end(),
  };
}

interface Row {
  readonly n: number;
  readonly t: string;
}

function parsed(rows: readonly Row[]): Told {
  return Object.fromEntries(
    rows.map(({ n, t }) => {
      const lines: readonly (readonly [string, string])[] = JSON.parse(t);
      return [n, lines.map(([source, text]) => `${source}: ${text}`).sort()];
    }),
  );
}

function told(rows: readonly Row[]): Told {
  const byOrder = Map.groupBy(rows, ({ n }) => n);
  return Object.fromEntries([...byOrder].map(([n, of]) => [n, [...new Set(of.map(({ t }) => t))].sort()]));
}

/** What is said of an order `o`, and where it stands. */
const REBUILD = [
  [
    "'order: ', o.ord_dat, ' ', o.status, ' ', o.branch, CASE WHEN o.cus_ref IS NULL THEN '' ELSE CONCAT(' ', o.cus_ref) END",
    '',
  ],
  [
    "'customer: ', c.name, CASE WHEN c.email IS NULL THEN '' ELSE CONCAT(' ', c.email) END, CASE WHEN c.vat_no IS NULL THEN '' ELSE CONCAT(' ', c.vat_no) END",
    ', cusmst c WHERE c.cus_no = o.cus_no',
  ],
  ["'address: ', a.street, ' ', a.zip, ' ', a.city, ' ', a.country", ', cusadr a WHERE a.cus_no = o.cus_no'],
  ["'phone: ', p.phone", ', cusphn p WHERE p.cus_no = o.cus_no'],
  [
    "'contact: ', x.name, CASE WHEN x.phone IS NULL THEN '' ELSE CONCAT(' ', x.phone) END",
    ', ordcon x WHERE x.ord_no = o.ord_no',
  ],
  ["'line: ', l.qty, ' x ', l.price", ', orditm l WHERE l.ord_no = o.ord_no'],
  [
    "'item: ', i.name, ' ', i.part_no",
    ', orditm l, itmmst i WHERE l.ord_no = o.ord_no AND i.itm_no = l.itm_no',
  ],
  ["'item text: ', x.txt", ', orditm l, itmtxt x WHERE l.ord_no = o.ord_no AND x.itm_no = l.itm_no'],
  [
    "'maker: ', m.name",
    ', orditm l, itmmst i, mkrmst m WHERE l.ord_no = o.ord_no AND i.itm_no = l.itm_no AND m.mkr_no = i.mkr_no',
  ],
  ["'serial: ', s.ser_no", ', ordser s WHERE s.ord_no = o.ord_no'],
  ["'comment: ', x.txt", ', ordcmt x WHERE x.ord_no = o.ord_no'],
  ["'warranty: ', x.clerk, ' ', x.txt", ', wtynot x WHERE x.ord_no = o.ord_no'],
  [
    "'shipment: ', s.carrier, CASE WHEN s.trk_no IS NULL THEN '' ELSE CONCAT(' ', s.trk_no) END",
    ', shphdr s WHERE s.ord_no = o.ord_no',
  ],
  ["'parcel: ', s.box", ', shpitm s WHERE s.ord_no = o.ord_no'],
  ["'invoice: ', v.amount, ' ', v.inv_no", ', invhdr v WHERE v.ord_no = o.ord_no'],
  [
    "'payment: ', p.method, ' ', p.amount, CASE WHEN p.ref IS NULL THEN '' ELSE CONCAT(' ', p.ref) END",
    ', paymnt p WHERE p.ord_no = o.ord_no',
  ],
  ["'return: ', r.reason", ', rtnhdr r WHERE r.ord_no = o.ord_no'],
]
  .map(([text, where]) => `SELECT o.ord_no AS n, CONCAT(${text}) AS t FROM ordhdr o${where}`)
  .join('\nUNION ALL\n');
