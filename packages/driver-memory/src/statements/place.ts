import type { Contents } from '../contents.js';
import type { Transaction } from '../transaction.js';

/** Where a statement runs. */
export interface Place {
  readonly database: Contents;
  readonly tx: Transaction;
}
