import { randomUUID } from 'node:crypto';
import type { MemoryTransaction, Records } from '../src/index.js';

type Rows = readonly Readonly<Record<string, unknown>>[];

/** The few statements of the conformance suite, each as one verb over records: the database itself knows no SQL. */
export interface PlainSql {
  inTransaction(tx: MemoryTransaction, statement: string): Promise<Rows>;
  onRecords(records: Records, statement: string): Promise<Rows>;
}

export function plainSql(): PlainSql {
  /** The column of each table that was made. */
  const columns = new Map<string, string>();
  const keys = new Map<string, string[]>();

  async function insert(records: Records, table: string, value: string): Promise<void> {
    const column = columns.get(table);
    // The database takes every table's name. What it refuses is this key, so that the statement fails in its transaction.
    if (column === undefined) await records.insert(table, 'no such table: \0', value);
    else {
      const key = randomUUID();
      keys.set(table, [...(keys.get(table) ?? []), key]);
      await records.insert(table, key, { [column]: value });
    }
  }

  async function onRecords(records: Records, statement: string): Promise<Rows> {
    const [, verb, table = '', text = ''] = STATEMENT.exec(statement) ?? [];
    const [column = ''] = /\w+/.exec(text) ?? [];
    if (verb === 'CREATE TABLE') columns.set(table, column);
    else if (verb === 'DROP TABLE') columns.delete(table);
    else if (verb === 'INSERT INTO') await insert(records, table, text);
    else if (verb === 'DELETE FROM')
      for (const key of keys.get(table) ?? []) await records.remove(table, key);
    else if (verb?.startsWith('SELECT')) return (await records.list(table)).map((row) => Object(row));
    else throw new Error(`The harness does not know this statement: ${statement}`);
    return [];
  }

  async function inTransaction(tx: MemoryTransaction, statement: string): Promise<Rows> {
    if (statement === 'COMMIT') await tx.commit();
    else if (statement === 'ROLLBACK') await tx.rollback();
    else return onRecords(tx, statement === 'SELECT 1 AS one' ? 'SELECT one FROM none' : statement);
    return [];
  }

  return { inTransaction, onRecords };
}

/** CREATE TABLE name (column type), DROP TABLE name, INSERT INTO name VALUES (value), DELETE FROM name, SELECT column FROM name: all rows are there for any WHERE. */
const STATEMENT =
  /^(CREATE TABLE|DROP TABLE|INSERT INTO|DELETE FROM|SELECT \w+ FROM) (\w+)(?: (?:VALUES )?\('?(.*?)'?\)| WHERE .*)?$/;
