import { Row } from './row.js';
import type { Transaction } from './transaction.js';

/** A row, and the version of it that the reader sees. */
export interface Found<Value> {
  readonly row: Row<Value>;
  readonly value: Value;
}

/** Rows in the order of their ids. An id is assigned at the insert and visible at the commit, so it may appear late. */
export class Table<Value> {
  readonly #name: string;
  readonly #columns: readonly (keyof Value)[];
  readonly #rows = new Set<Row<Value>>();
  /** The number of each row, and the sets that have it. */
  readonly #known = new WeakMap<Row<Value>, Known<Value>>();
  /** Rows by column and value. A set keeps the order of the inserts. */
  readonly #indexes = new Map<keyof Value, Map<unknown, Set<Row<Value>>>>();
  #lastId = 0n;

  /** @param columns The indexed columns. For another value of one, a row needs `index`. */
  constructor(name: string, columns: readonly (keyof Value)[]) {
    this.#name = name;
    this.#columns = columns;
    for (const column of columns) this.#indexes.set(column, new Map());
  }

  insert(tx: Transaction, make: (id: bigint) => Value): Value {
    this.#lastId += 1n;
    const value = make(this.#lastId);
    const places: Set<Row<Value>>[] = [
      this.#rows,
      ...this.#columns.map((column) => this.#place(column, value[column])),
    ];
    const row = new Row<Value>(`${this.#name} ${this.#lastId}`, () => {
      for (const place of places) place.delete(row);
    });
    for (const place of places) place.add(row);
    this.#known.set(row, { id: this.#lastId, places });
    tx.take(row);
    tx.write(row, value);
    return value;
  }

  /** Lets a row be found by this value too, whose transaction is still to decide. The order of the inserts stays. */
  index<Column extends keyof Value>(row: Row<Value>, column: Column, value: Value[Column]): void {
    const place = this.#place(column, value);
    if (place.has(row)) return;
    this.#known.get(row)?.places.push(place);
    const idOf = (each: Row<Value>): bigint => this.#known.get(each)?.id ?? 0n;
    const sorted = [...place, row].sort((one, other) => (idOf(one) < idOf(other) ? -1 : 1));
    place.clear();
    for (const each of sorted) place.add(each);
  }

  #place(column: keyof Value, value: unknown): Set<Row<Value>> {
    const index = this.#indexes.get(column);
    const place = index?.get(value) ?? new Set();
    index?.set(value, place);
    return place;
  }

  /** The rows that `tx` sees and that are `wanted`. */
  find(tx: Transaction, wanted: Wanted<Value>): readonly Found<Value>[] {
    return seen(this.#rows, tx, wanted);
  }

  /** The rows with this value in this column that `tx` sees and that are `wanted`. */
  findBy<Column extends keyof Value>(
    column: Column,
    value: Value[Column],
    tx: Transaction,
    wanted: Wanted<Value> = () => true,
  ): readonly Found<Value>[] {
    return seen(
      this.rowsBy(column, value),
      tx,
      (found, row) => found[column] === value && wanted(found, row),
    );
  }

  /** All rows, uncommitted ones of other transactions among them. */
  get rows(): readonly Row<Value>[] {
    return [...this.#rows];
  }

  /** Rows that have, or had, this value, uncommitted ones of other transactions among them: they may take a key too. */
  rowsBy<Column extends keyof Value>(column: Column, value: Value[Column]): readonly Row<Value>[] {
    return [...(this.#indexes.get(column)?.get(value) ?? [])];
  }
}

interface Known<Value> {
  readonly id: bigint;
  readonly places: Set<Row<Value>>[];
}

type Wanted<Value> = (value: Value, row: Row<Value>) => boolean;

function seen<Value>(
  rows: Iterable<Row<Value>>,
  tx: Transaction,
  wanted: Wanted<Value>,
): readonly Found<Value>[] {
  const found: Found<Value>[] = [];
  for (const row of rows) {
    const value = row.seenBy(tx);
    if (value !== undefined && wanted(value, row)) found.push({ row, value });
  }
  return found;
}
