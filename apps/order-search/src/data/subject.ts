import type { LegacySchema } from '../search/sources.js';

/** What many orders share. */
export interface Subject {
  readonly of: 'all' | 'customer' | 'item' | 'maker';
  /** Its number. 0 of all orders. */
  readonly no: number;
}

/** A statement for both databases, with `?` for its values. */
interface Select {
  readonly sql: string;
  readonly values: readonly number[];
}

/**
 * The numbers of a subject's orders beyond one, or from the first on, in order. All orders are also those that only the search
 * table still has: of many that are gone no change gives the numbers.
 */
export function selectOrdersOf(
  { legacy, search }: { readonly legacy: LegacySchema; readonly search: string },
  { of, no }: Subject,
  beyond: number | null,
  limit: number,
): Select {
  const place = beyond === null ? [] : [beyond];
  const behind = beyond === null ? 'TRUE' : 'ord_no > ?';
  const end = `AND ${behind} ORDER BY ord_no LIMIT ?`;
  switch (of) {
    case 'all':
      return {
        sql: `(SELECT ord_no FROM ${legacy}ordhdr WHERE TRUE ${end}) UNION (SELECT ord_no FROM ${search} WHERE TRUE ${end})
          ORDER BY ord_no LIMIT ?`,
        values: [...place, limit, ...place, limit, limit],
      };
    case 'customer':
      return {
        sql: `SELECT ord_no FROM ${legacy}ordhdr WHERE cus_no = ? ${end}`,
        values: [no, ...place, limit],
      };
    case 'item':
      return {
        sql: `SELECT DISTINCT ord_no FROM ${legacy}orditm WHERE itm_no = ? ${end}`,
        values: [no, ...place, limit],
      };
    case 'maker':
      return {
        sql: `SELECT DISTINCT ord_no FROM ${legacy}orditm
        WHERE itm_no IN (SELECT itm_no FROM ${legacy}itmmst WHERE mkr_no = ?) ${end}`,
        values: [no, ...place, limit],
      };
  }
}
