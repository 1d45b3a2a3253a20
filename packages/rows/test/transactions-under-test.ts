import type { RowCondition, TableName } from '@rowlock/core/driver';
import type { DriverHarness } from '@rowlock/driver-conformance';
import type { LockRowsOptions } from '../src/lock-statement.js';
import type { TransactionOptions } from '../src/repeat-transaction.js';

/** A driver's functions for transactions of the application's own. */
export interface TransactionsUnderTest<Tx, Pool> {
  readonly name: string;
  open(): Promise<DriverHarness<Tx>>;
  /** A pool of the plain client, of at most so many connections. The server knows its sessions as the harness's own. */
  pool(url: string, most: number): Pool;
  end(pool: Pool): Promise<void>;
  transaction<Result>(
    pool: Pool,
    work: (tx: Tx) => Result | PromiseLike<Result>,
    options?: TransactionOptions,
  ): Promise<Result>;
  lockRows(
    tx: Tx,
    table: TableName,
    where: RowCondition,
    options?: LockRowsOptions<'update' | 'share'>,
  ): Promise<Record<string, unknown>[]>;
}
