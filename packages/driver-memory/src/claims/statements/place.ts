import type { Contents } from '../../engine/contents.js';
import type { Transaction } from '../../engine/transaction.js';

/** The database and the transaction of a statement. */
export interface Place {
  readonly database: Contents;
  readonly tx: Transaction;
}
