/** A row of one of the 17 tables that says something of an order. */
export interface SourceRow {
  readonly orderNo: number;
  /** What the table is about, for people. */
  readonly source: string;
  readonly text: string;
  /** A number that people type with and without signs: of a phone, a part, a parcel. */
  readonly code: string | null;
}

/** Where the tables are: in a schema of their own on Postgres, and beside all others on MySQL. */
export type LegacySchema = 'legacy.' | '';

/**
 * The statement that reads the rows of some orders from all 17 tables. Both databases take it.
 *
 * @param wanted A SELECT of their numbers, `ord_no`.
 */
export function readSources(legacy: LegacySchema, wanted: string): string {
  const branches = sourcesIn(legacy).map(
    ({ source, from, text = "''", code = 'NULL' }) =>
      `SELECT wanted.ord_no, '${source}' AS source, ${text} AS txt, ${code} AS code FROM wanted ${from}`,
  );
  return `WITH wanted AS (${wanted})\n${branches.join('\nUNION ALL\n')}`;
}

interface Source {
  readonly source: string;
  /** What joins the table, `t`, to the wanted orders. */
  readonly from: string;
  readonly text?: string;
  readonly code?: string;
}

function sourcesIn(legacy: LegacySchema): readonly Source[] {
  const ofOrder = (table: string) => `JOIN ${legacy}${table} AS t ON t.ord_no = wanted.ord_no`;
  const ofCustomer = (table: string) =>
    `JOIN ${legacy}ordhdr AS head ON head.ord_no = wanted.ord_no JOIN ${legacy}${table} AS t ON t.cus_no = head.cus_no`;
  const ofItem = (table: string) =>
    `JOIN ${legacy}orditm AS line ON line.ord_no = wanted.ord_no JOIN ${legacy}${table} AS t ON t.itm_no = line.itm_no`;
  const ofMaker = `${ofItem('itmmst').replace(' AS t ON t.', ' AS item ON item.')} JOIN ${legacy}mkrmst AS t ON t.mkr_no = item.mkr_no`;
  return [
    {
      source: 'order',
      from: ofOrder('ordhdr'),
      text: "CONCAT_WS(' ', t.ord_dat, t.status, t.branch)",
      code: 't.cus_ref',
    },
    {
      source: 'customer',
      from: ofCustomer('cusmst'),
      text: "CONCAT_WS(' ', t.name, t.email)",
      code: 't.vat_no',
    },
    {
      source: 'address',
      from: ofCustomer('cusadr'),
      text: "CONCAT_WS(' ', t.street, t.zip, t.city, t.country)",
    },
    { source: 'phone', from: ofCustomer('cusphn'), code: 't.phone' },
    { source: 'contact', from: ofOrder('ordcon'), text: 't.name', code: 't.phone' },
    { source: 'line', from: ofOrder('orditm'), text: "CONCAT_WS(' ', t.qty, 'x', t.price)" },
    { source: 'item', from: ofItem('itmmst'), text: 't.name', code: 't.part_no' },
    { source: 'item text', from: ofItem('itmtxt'), text: 't.txt' },
    { source: 'maker', from: ofMaker, text: 't.name' },
    { source: 'serial', from: ofOrder('ordser'), code: 't.ser_no' },
    { source: 'comment', from: ofOrder('ordcmt'), text: 't.txt' },
    { source: 'warranty', from: ofOrder('wtynot'), text: "CONCAT_WS(' ', t.clerk, t.txt)" },
    { source: 'shipment', from: ofOrder('shphdr'), text: 't.carrier', code: 't.trk_no' },
    { source: 'parcel', from: ofOrder('shpitm'), code: 't.box' },
    {
      source: 'invoice',
      from: ofOrder('invhdr'),
      text: "CONCAT_WS(' ', t.amount)",
      code: 'CONCAT(t.inv_no)',
    },
    { source: 'payment', from: ofOrder('paymnt'), text: "CONCAT_WS(' ', t.method, t.amount)", code: 't.ref' },
    { source: 'return', from: ofOrder('rtnhdr'), text: 't.reason' },
  ];
}
