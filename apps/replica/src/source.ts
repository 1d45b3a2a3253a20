import type { Item } from './item.js';

/** The database whose table is copied. */
export interface Source<Tx> {
  /** The row as it is now. */
  read(id: number, tx: Tx): Promise<Item | undefined>;
}
