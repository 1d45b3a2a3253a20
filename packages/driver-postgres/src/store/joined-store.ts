import { LIMITS } from '@rowlock/core/driver';
import { CallersTransaction } from '../connection/callers-transaction.js';
import type { Context } from '../context.js';
import type { PostgresTransaction } from '../query.js';
import { PostgresStore } from './store.js';

/** The verbs of a store inside a caller's transaction. */
export class JoinedStore extends PostgresStore {
  /** One statement, where its length allows. A caller who does not await the call could commit between two. */
  protected override readonly perStatement = LIMITS.jobsPerCall;

  constructor(context: Context, tx: PostgresTransaction) {
    super(context, new CallersTransaction(tx));
  }
}
