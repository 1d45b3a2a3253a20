import type { Database } from '../database.js';
import type { Transaction } from '../transaction.js';

/** Where a statement runs. */
export interface Place {
  readonly database: Database;
  readonly tx: Transaction;
}
