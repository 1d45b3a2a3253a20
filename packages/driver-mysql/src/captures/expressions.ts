import type { CapturePlan, ColumnCondition } from '@rowlock/core/driver';
import { identifier } from '../identifier.js';
import { literal } from '../literal.js';
import type { Product } from '../product.js';
import { BYTES, CHECKED, type Column, NUMBERS, SHAPES, TIMES } from './column.js';
import type { CapturedTable } from './table.js';

/** A row: as it is now, or as it was before, of a trigger; or one that a query reads. */
export type Row = 'NEW' | 'OLD' | 'n';

/** The most bytes of old and new values in a payload. With all escapes, six times as many are still a payload. */
const MOST_VALUES = 262_144;

/** How many characters of a key a job can have. A longer one is replaced by its hash. */
const LONGEST_KEY = 512;

const VECTOR_TEXT: Readonly<Record<Product, string>> = { MySQL: 'VECTOR_TO_STRING', MariaDB: 'VEC_ToText' };

/** The SQL of a capture's values, of one table. */
export class Expressions {
  readonly #plan: CapturePlan;
  readonly #table: CapturedTable;

  constructor(plan: CapturePlan, table: CapturedTable) {
    this.#plan = plan;
    this.#table = table;
  }

  id(row: Row): string {
    return this.#object(row, this.#plan.id);
  }

  /** The key of the job, or NULL. */
  key(row: Row): string {
    const { key } = this.#plan;
    if (key.length === 0) return 'NULL';
    const texts = key.map((name) => this.#text(row, name)).join(`, ',', `);
    const text = key.length === 1 ? texts : `CONCAT(${texts})`;
    if (key.length === 1 && key.every((name) => isShortKey(this.#column(name)))) return text;
    return `IF(CHAR_LENGTH(${text}) > ${LONGEST_KEY}, SHA2(${text}, 256), NULLIF(${text}, ''))`;
  }

  /** Whether an update can change the key of a row whose `id` stays. */
  get movesKeys(): boolean {
    return this.#plan.key.some((name) => !this.#plan.id.includes(name));
  }

  sameId(): string {
    return this.#same(this.#plan.id);
  }

  sameKey(): string {
    return this.#same(this.#plan.key);
  }

  /** Whether the update counts, of a row whose id stays. Null: always. */
  changed(): string | null {
    const { update } = this.#plan;
    return typeof update === 'boolean' ? null : `NOT (${this.#same(update)})`;
  }

  /** Whether the row meets the conditions. Null if there are none. */
  meets(row: Row): string | null {
    const { conditions } = this.#plan;
    if (conditions.length === 0) return null;
    return `(${conditions.map((condition) => this.#condition(row, condition)).join(' AND ')})`;
  }

  /** The payload. @param members The first ones. */
  payload(members: string, id: string, rows: readonly Row[]): string {
    const { name, columns } = this.#plan;
    const least = `'capture', ${literal(name)}, ${members}, 'id', ${id}`;
    if (columns.length === 0) return `JSON_OBJECT(${least})`;
    const values = rows.map((row) => `'${row === 'OLD' ? 'old' : 'new'}', ${this.#object(row, columns)}`);
    const all = `JSON_OBJECT(${[least, ...values].join(', ')})`;
    const sizes = rows.flatMap((row) =>
      columns
        .filter((each) => !isShort(this.#column(each)))
        .map((each) => `COALESCE(LENGTH(${this.#text(row, each)}), 0)`),
    );
    if (sizes.length === 0) return all;
    return `IF(${sizes.join(' + ')} <= ${MOST_VALUES}, ${all}, JSON_OBJECT(${least}))`;
  }

  #object(row: Row, names: readonly string[]): string {
    return `JSON_OBJECT(${names.map((name) => `${literal(name)}, ${this.#text(row, name)}`).join(', ')})`;
  }

  /** The value as text, the same in each session. */
  #text(row: Row, name: string): string {
    const { type } = this.#column(name);
    const value = this.#of(row, name);
    if (BYTES.includes(type)) return `HEX(${value})`;
    if (SHAPES.includes(type)) return `ST_AsText(${value})`;
    if (type === 'bit') return `CAST(${value} + 0 AS CHAR CHARACTER SET utf8mb4)`;
    if (type === 'vector') return `${VECTOR_TEXT[this.#table.product]}(${value})`;
    if (type !== 'timestamp') return `CAST(${value} AS CHAR CHARACTER SET utf8mb4)`;
    return `IF(${value} + 0 = 0, '0000-00-00 00:00:00', CAST(${inUtc(value)} AS CHAR CHARACTER SET utf8mb4))`;
  }

  /** Null-safe, and to the byte where a collation would not be. */
  #same(names: readonly string[]): string {
    const value = (row: Row, name: string): string => {
      const { type } = this.#column(name);
      const of = this.#of(row, name);
      if (NUMBERS.includes(type) || TIMES.includes(type)) return of;
      return `CAST(${SHAPES.includes(type) ? this.#text(row, name) : of} AS BINARY)`;
    };
    return names.map((name) => `${value('OLD', name)} <=> ${value('NEW', name)}`).join(' AND ');
  }

  #condition(row: Row, { column, values, orNull }: ColumnCondition): string {
    const name = this.#of(row, column);
    const { type } = this.#column(column);
    const value = type === 'timestamp' ? `IF(${name} + 0 = 0, ${ZERO}, ${inUtc(name)})` : name;
    const parts = [
      ...(values.length > 0 ? [`${value} IN (${conditionValues(type, values).join(', ')})`] : []),
      ...(orNull ? [`${name} IS NULL`] : []),
    ];
    return parts.length === 0 ? 'FALSE' : `(${parts.join(' OR ')})`;
  }

  #of(row: Row, name: string): string {
    return `${row}.${identifier(name)}`;
  }

  #column(name: string): Column {
    const column = this.#table.columns.get(name);
    if (column === undefined) throw new Error(`The table has no column ${name}.`);
    return column;
  }
}

/** What a zero TIMESTAMP is compared as. */
const ZERO = "CAST('0000-00-00 00:00:00' AS DATETIME(6))";

/** A TIMESTAMP, the same in each session. The zero one is no time. */
function inUtc(value: string): string {
  return `IF(${value} + 0 = 0, NULL, TIMESTAMPADD(MICROSECOND, ROUND(UNIX_TIMESTAMP(${value}) * 1000000), TIMESTAMP'1970-01-01 00:00:00'))`;
}

/**
 * The values with which a column of this type is compared. A trigger would compare a TIME with a text as texts, and a CHAR
 * has no blanks at its end.
 */
export function conditionValues(type: string, values: ColumnCondition['values']): readonly string[] {
  const given = values.flatMap((value) => {
    if (value instanceof Object) return [];
    return [literal(type === 'char' && typeof value === 'string' ? value.replace(/ +$/, '') : value)];
  });
  if (CHECKED.includes(type)) return given.map((value) => `CAST(${value} AS ${type})`);
  if (!TIMES.includes(type)) return given;
  return given.map((value) => `CAST(${value} AS ${type === 'time' ? 'TIME(6)' : 'DATETIME(6)'})`);
}

function isShort(column: Column): boolean {
  return column.type === 'enum' || isShortKey(column);
}

/** Of an ENUM the text may be empty, which is no key. */
function isShortKey({ type }: Column): boolean {
  return NUMBERS.includes(type) || TIMES.includes(type);
}
