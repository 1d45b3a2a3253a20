import { DriverError } from '@rowlock/core';

/** @throws DriverError `InvalidInput`, if the transaction is of another database */
export function checkDatabase(tx: object, name: 'postgres' | 'mysql'): void {
  const { adapter } = Object(tx);
  if (adapter?.database !== undefined && adapter.database !== name)
    throw new DriverError(
      'InvalidInput',
      `'tx', of ${adapter.name}(), is a transaction of ${adapter.database}, and this Rowlock's driver is ${name}.`,
    );
}
