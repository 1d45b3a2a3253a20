import type { Contents } from '../../contents.js';
import type { Transaction } from '../../transaction.js';

/** The database and the transaction of a statement. */
export interface Place {
  readonly database: Contents;
  readonly tx: Transaction;
}
