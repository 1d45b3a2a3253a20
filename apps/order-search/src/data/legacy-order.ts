import type { LegacySchema } from '../search/sources.js';
import type { LegacyTable } from './order-store.js';

/** How each of the 17 tables is reached from an order's number, the only `?`. */
const WAYS = {
  ordhdr: 'WHERE t.ord_no = ?',
  cusmst: 'JOIN {ordhdr} AS head ON head.cus_no = t.cus_no WHERE head.ord_no = ?',
  cusadr: 'JOIN {ordhdr} AS head ON head.cus_no = t.cus_no WHERE head.ord_no = ?',
  cusphn: 'JOIN {ordhdr} AS head ON head.cus_no = t.cus_no WHERE head.ord_no = ?',
  ordcon: 'WHERE t.ord_no = ?',
  orditm: 'WHERE t.ord_no = ?',
  itmmst: 'WHERE t.itm_no IN (SELECT itm_no FROM {orditm} WHERE ord_no = ?)',
  itmtxt: 'WHERE t.itm_no IN (SELECT itm_no FROM {orditm} WHERE ord_no = ?)',
  mkrmst:
    'WHERE t.mkr_no IN (SELECT item.mkr_no FROM {orditm} AS line JOIN {itmmst} AS item ON item.itm_no = line.itm_no WHERE line.ord_no = ?)',
  ordser: 'WHERE t.ord_no = ?',
  ordcmt: 'WHERE t.ord_no = ?',
  wtynot: 'WHERE t.ord_no = ?',
  shphdr: 'WHERE t.ord_no = ?',
  shpitm: 'WHERE t.ord_no = ?',
  invhdr: 'WHERE t.ord_no = ?',
  paymnt: 'WHERE t.ord_no = ?',
  rtnhdr: 'WHERE t.ord_no = ?',
};

/**
 * An order as it is in the 17 tables: those that have rows of it.
 *
 * @param select Runs a SELECT with one `?`, the order's number.
 */
export async function tablesOf(
  legacy: LegacySchema,
  select: (sql: string) => Promise<readonly Readonly<Record<string, unknown>>[]>,
): Promise<readonly LegacyTable[]> {
  const tables = await Promise.all(
    Object.entries(WAYS).map(async ([table, way]) => {
      const from = way.replaceAll(/\{(\w+)\}/g, `${legacy}$1`);
      const rows = await select(`SELECT t.* FROM ${legacy}${table} AS t ${from}`);
      return { table, rows: rows.map(asText) };
    }),
  );
  return tables.filter(({ rows }) => rows.length > 0);
}

function asText(row: Readonly<Record<string, unknown>>): Record<string, string | null> {
  return Object.fromEntries(
    Object.entries(row).map(([column, value]) => [column, value === null ? null : String(value)]),
  );
}
