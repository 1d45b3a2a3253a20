import { type Capture, type ChangeOf, defineCapture, type RunJob } from '@rowlock/core';
import type { LegacySchema } from './search/sources.js';

/** The queue of what has changed. */
export const QUEUE = 'changes';

/** How many things that have changed a run may take. One by one an order costs the server several times as much. */
export const TOGETHER = { keys: 50 };

/** What the rows of a table are about, and the column that numbers it. */
const NUMBER = { order: 'ord_no', customer: 'cus_no', item: 'itm_no', maker: 'mkr_no' } as const;

/** The columns that identify a row of each table. */
const TABLES = {
  order: {
    ordhdr: ['ord_no'],
    orditm: ['ord_no', 'lin_no'],
    ordser: ['ord_no', 'lin_no', 'ser_no'],
    ordcmt: ['ord_no', 'seq_no'],
    ordcon: ['ord_no', 'seq_no'],
    wtynot: ['ord_no', 'seq_no'],
    shphdr: ['shp_no'],
    shpitm: ['shp_no', 'lin_no'],
    invhdr: ['inv_no'],
    paymnt: ['pay_no'],
    rtnhdr: ['rtn_no'],
  },
  customer: { cusmst: ['cus_no'], cusadr: ['cus_no', 'adr_no'], cusphn: ['cus_no', 'phn_no'] },
  item: { itmmst: ['itm_no'], itmtxt: ['itm_no', 'lang'] },
  maker: { mkrmst: ['mkr_no'] },
} as const;

export type CapturedSubject = keyof typeof TABLES;

export type OrderCapture = Capture<string, string, never>;

/** Every change of the 17 tables is a job in the very transaction that makes it. Its key is the number of what changed. */
export function capturesOf(
  legacy: LegacySchema,
  of: CapturedSubject,
): readonly [OrderCapture, ...OrderCapture[]] {
  const [first, ...others] = Object.entries(TABLES[of]).map(([table, id]) =>
    defineCapture({
      name: table,
      table: `${legacy}${table}`,
      id,
      key: NUMBER[of],
      kind: `${of}.changed`,
      queue: QUEUE,
    }),
  );
  if (first === undefined) throw new Error(`No table is about ${of}.`);
  return [first, ...others];
}

/**
 * What has changed, by its numbers. `isOfAll`: so much that the numbers are unknown. The key of a change of a single row
 * is its number.
 */
export function subjectsOf(
  of: CapturedSubject,
  jobs: readonly RunJob<ChangeOf<OrderCapture>>[],
): { readonly numbers: readonly number[]; readonly isOfAll: boolean } {
  const changes = jobs.map(({ payload }) => payload);
  const bulks = changes.filter((change) => change.op === 'bulk');
  const ofBulks = bulks.flatMap(({ ids }) => ids ?? [{}]).map((id: Columns) => Number(id[NUMBER[of]]));
  const numbers = [...jobs.flatMap(({ key }) => (key === null ? [] : [Number(key)])), ...ofBulks];
  return { numbers: [...new Set(numbers)].filter(Number.isFinite), isOfAll: ofBulks.some(Number.isNaN) };
}

type Columns = Readonly<Record<string, string>>;
