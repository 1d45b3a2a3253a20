import type { Transaction } from './transaction.js';

/** Runs statements: in an open transaction, or each in one of its own. */
export interface Runner {
  run<Result>(statement: (tx: Transaction) => Result | Promise<Result>): Promise<Result>;
}

/** Runs one statement in a transaction of its own. */
export async function autocommit<Result>(
  tx: Transaction,
  statement: (tx: Transaction) => Result | Promise<Result>,
): Promise<Result> {
  try {
    return await tx.run(async () => {
      const result = await statement(tx);
      tx.commitNow();
      return result;
    });
  } finally {
    tx.rollbackNow();
  }
}
