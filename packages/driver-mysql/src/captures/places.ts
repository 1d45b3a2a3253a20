import type { CapturePlan } from '@rowlock/core/driver';
import { identifier } from '../identifier.js';
import type { Column } from './column.js';

/** How a place in the order of a column is kept as text, and read back as the same value. */
interface Kept {
  /** The column's value as it is compared. Default: the column itself. */
  readonly value?: (column: string) => string;
  readonly text: (value: string) => string;
  /** The value of the text that a placeholder stands for. */
  readonly given: (column: Column) => string;
}

function characters(value: string): string {
  return `CAST(${value} AS CHAR CHARACTER SET utf8mb4)`;
}

/** A text cast as UNSIGNED ends at 2^63 - 1 when it is a parameter. 20 digits are those of 2^64. */
const WHOLE: Kept = { text: (value) => characters(`${value} + 0`), given: () => 'CAST(? AS DECIMAL(20))' };

/** The order is that of the members' numbers, and not of their texts. */
const MEMBERS: Kept = { ...WHOLE, value: (column) => `(${column} + 0)` };

/** Bytes, as not every character set comes back from utf8mb4 as it was. */
const WORDS: Kept = {
  text: (value) => `HEX(${value})`,
  given: ({ charset, collation }) =>
    `CAST(UNHEX(?) AS CHAR CHARACTER SET ${identifier(charset)}) COLLATE ${identifier(collation)}`,
};

const BYTES: Kept = { text: (value) => `HEX(${value})`, given: () => 'UNHEX(?)' };

/** The server compares the text as the column's type. */
const PLAIN: Kept = { text: characters, given: () => '?' };

/** By the type of the column. FLOAT is not here: its text has six digits. */
const KEPT: Readonly<Record<string, Kept>> = {
  tinyint: WHOLE,
  smallint: WHOLE,
  mediumint: WHOLE,
  int: WHOLE,
  bigint: WHOLE,
  bit: WHOLE,
  year: WHOLE,
  enum: MEMBERS,
  set: MEMBERS,
  decimal: { text: characters, given: ({ digits, scale }) => `CAST(? AS DECIMAL(${digits}, ${scale}))` },
  double: { text: (value) => characters(`${value} + 0e0`), given: () => 'CAST(? AS DOUBLE)' },
  char: WORDS,
  varchar: WORDS,
  binary: BYTES,
  varbinary: BYTES,
  date: PLAIN,
  // As a text, more than a day would be taken for a date, and so would a parameter of a prepared statement.
  time: { text: characters, given: () => 'CAST(CAST(? AS CHAR) AS TIME(6))' },
  datetime: PLAIN,
  timestamp: PLAIN,
  uuid: PLAIN,
  inet4: PLAIN,
  inet6: PLAIN,
};

/** Whether a row can be found again by the text of a column of this type. */
export function isKept(column: Column | undefined): boolean {
  return column !== undefined && Object.hasOwn(KEPT, column.type);
}

/** The places of rows in the order of a capture's `id`. */
export class Places {
  readonly #columns: readonly { readonly column: Column; readonly value: string; readonly kept: Kept }[];

  /** @param row The alias of the rows. */
  constructor({ id }: CapturePlan, columns: ReadonlyMap<string, Column>, row: string) {
    this.#columns = id.map((name) => {
      const column = columns.get(name);
      const kept = KEPT[column?.type ?? ''];
      if (column === undefined || kept === undefined) throw new Error(`The table has no id ${name}.`);
      const of = `${row}.${identifier(name)}`;
      return { column, kept, value: kept.value?.(of) ?? of };
    });
  }

  get order(): string {
    return this.#columns.map(({ value }) => value).join(', ');
  }

  /** The place of a row, as columns of texts. */
  get texts(): string {
    return this.#columns
      .map(({ column, kept, value }) => `${kept.text(value)} AS ${identifier(column.name)}`)
      .join(', ');
  }

  /** The rows behind a place. Placeholders stand for its texts, those of the columns with these names. */
  get behind(): { readonly text: string; readonly names: readonly string[] } {
    const given = this.#columns.map(({ column, kept, value }) => ({ value, from: kept.given(column) }));
    const steps = given.map(({ value, from }, last) => {
      const same = given.slice(0, last).map((each) => `${each.value} = ${each.from}`);
      return [...same, `${value} > ${from}`].join(' AND ');
    });
    const names = this.#columns.map(({ column }) => column.name);
    const [first] = given;
    // An index finds the beginning by the first column alone.
    return {
      text: `${first?.value} >= ${first?.from} AND (${steps.join(' OR ')})`,
      names: [...names.slice(0, 1), ...names.flatMap((_, last) => names.slice(0, last + 1))],
    };
  }
}
