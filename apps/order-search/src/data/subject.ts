import type { LegacySchema } from '../search/sources.js';

/** What many orders share. */
export interface Subject {
  readonly of: 'all' | 'customer' | 'item' | 'maker';
  /** Its number. 0 of all orders. */
  readonly no: number;
}

/** The numbers of a subject's orders beyond one, in order. The values are the subject's number, that one, and the limit. */
export function selectOrdersOf(legacy: LegacySchema, of: Subject['of']): string {
  const end = 'AND ord_no > ? ORDER BY ord_no LIMIT ?';
  switch (of) {
    case 'all':
      return `SELECT ord_no FROM ${legacy}ordhdr WHERE ? = 0 ${end}`;
    case 'customer':
      return `SELECT ord_no FROM ${legacy}ordhdr WHERE cus_no = ? ${end}`;
    case 'item':
      return `SELECT DISTINCT ord_no FROM ${legacy}orditm WHERE itm_no = ? ${end}`;
    case 'maker':
      return `SELECT DISTINCT ord_no FROM ${legacy}orditm
        WHERE itm_no IN (SELECT itm_no FROM ${legacy}itmmst WHERE mkr_no = ?) ${end}`;
  }
}
