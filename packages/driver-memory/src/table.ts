import { Row } from './row.js';
import type { Transaction } from './transaction.js';

/** A row, and the version of it that the reader sees. */
export interface Found<Value> {
  readonly row: Row<Value>;
  readonly value: Value;
}

/** Rows in the order of their ids. An id is given at the insert and visible at the commit, so it may appear late. */
export class Table<Value> {
  readonly #name: string;
  readonly #shelfOf: (value: Value) => unknown;
  readonly #rows = new Set<Row<Value>>();
  readonly #shelves = new Map<unknown, Set<Row<Value>>>();
  #lastId = 0n;

  /** @param shelfOf The column by which rows are mostly looked for. It never changes. */
  constructor(name: string, shelfOf: (value: Value) => unknown) {
    this.#name = name;
    this.#shelfOf = shelfOf;
  }

  insert(tx: Transaction, make: (id: bigint) => Value): Value {
    this.#lastId += 1n;
    const value = make(this.#lastId);
    const name = this.#shelfOf(value);
    const shelf = this.#shelves.get(name) ?? new Set();
    const row = new Row<Value>(`${this.#name} ${this.#lastId}`, () => {
      this.#rows.delete(row);
      shelf.delete(row);
    });
    this.#rows.add(row);
    this.#shelves.set(name, shelf.add(row));
    tx.take(row);
    tx.write(row, value);
    return value;
  }

  /** What `tx` sees. */
  find(tx: Transaction, wanted: (value: Value, row: Row<Value>) => boolean): readonly Found<Value>[] {
    return seen(this.#rows, tx, wanted);
  }

  /** What `tx` sees of one shelf. */
  findOn(
    shelf: unknown,
    tx: Transaction,
    wanted: (value: Value, row: Row<Value>) => boolean = () => true,
  ): readonly Found<Value>[] {
    return seen(this.#shelves.get(shelf) ?? [], tx, wanted);
  }

  /** Also what others have not committed: a key may be taken by that too. */
  rows(): readonly Row<Value>[] {
    return [...this.#rows];
  }

  rowsOn(shelf: unknown): readonly Row<Value>[] {
    return [...(this.#shelves.get(shelf) ?? [])];
  }
}

function seen<Value>(
  rows: Iterable<Row<Value>>,
  tx: Transaction,
  wanted: (value: Value, row: Row<Value>) => boolean,
): readonly Found<Value>[] {
  const found: Found<Value>[] = [];
  for (const row of rows) {
    const value = row.seenBy(tx);
    if (value !== undefined && wanted(value, row)) found.push({ row, value });
  }
  return found;
}
