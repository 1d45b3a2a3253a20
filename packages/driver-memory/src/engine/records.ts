import { DriverError, type Json } from '@rowlock/core';
import { apply, checkOperations, storableJson, storableText } from '@rowlock/core/driver';
import type { Contents } from './contents.js';
import type { Records } from './memory-transaction.js';
import type { Row } from './row.js';
import type { RecordRow } from './rows.js';
import type { Runner } from './runner.js';
import type { Transaction } from './transaction.js';

/** The verbs over the application's own records. `on` runs their statements. */
export function recordsOn({ records }: Pick<Contents, 'records'>, on: Runner): Records {
  /** The row of a key. Waits until no other transaction can still decide whether the row exists. */
  async function lockKey(tx: Transaction, table: string, key: string): Promise<Row<RecordRow> | undefined> {
    for (;;) {
      const rows = records
        .rowsBy('key', key)
        .filter((row) => row.versions().some((version) => version?.table === table));
      const taken = rows.find((row) => !row.isFreeFor(tx));
      if (taken === undefined) return rows[0];
      await tx.waitFor(taken);
    }
  }

  function write(tx: Transaction, row: Row<RecordRow> | undefined, record: RecordRow): void {
    if (row === undefined) records.insert(tx, () => record);
    else {
      tx.take(row);
      tx.write(row, record);
    }
  }

  return {
    get: (table, key) =>
      on.run((tx) => {
        const [found] = records.findBy('key', key, tx, (record) => record.table === table);
        return found && JSON.parse(found.value.value);
      }),

    list: (table) =>
      on.run((tx) => records.findBy('table', table, tx).map(({ value }): Json => JSON.parse(value.value))),

    insert: (table, key, value) =>
      on.run(async (tx) => {
        const record = toRecord(table, key, value);
        const row = await lockKey(tx, table, key);
        if (row?.seenBy(tx) !== undefined) throw takenKey(table, key);
        write(tx, row, record);
      }),

    set: (table, key, value) =>
      on.run(async (tx) => {
        const record = toRecord(table, key, value);
        write(tx, await lockKey(tx, table, key), record);
      }),

    update: (table, key, operations) =>
      on.run(async (tx) => {
        const checked = checkOperations(operations);
        const row = await lockKey(tx, table, key);
        const record = row?.seenBy(tx);
        if (record === undefined) return false;
        write(tx, row, toRecord(table, key, apply(checked, JSON.parse(record.value))));
        return true;
      }),

    remove: (table, key) =>
      on.run(async (tx) => {
        const row = await lockKey(tx, table, key);
        if (row?.seenBy(tx) === undefined) return false;
        tx.take(row);
        tx.write(row, undefined);
        return true;
      }),
  };
}

function toRecord(table: string, key: string, value: Json): RecordRow {
  return { table: storableText(table), key: storableText(key), value: storableJson(value) };
}

function takenKey(table: string, key: string): DriverError {
  const cause = new Error(`${table} has a record with the key ${JSON.stringify(key)}.`);
  return new DriverError('UniqueViolation', 'The key is taken.', { cause });
}
