import type { CapturePlan } from '@rowlock/core/driver';
import { identifier } from '../identifier.js';
import { literal } from '../literal.js';
import type { Column } from './column.js';
import { conditionSql, isKnownType } from './condition.js';
import { type CapturedTable, columnOf } from './table.js';
import { textOf } from './text-of.js';

/** The alias of a row: as it is now, or as it was before. */
export type Row = 'n' | 'o';

/** The most bytes of old and new values in a payload. With all escapes, six times as many are still a payload. */
const MOST_VALUES = 262_144;

/** How many characters of a key a job can have. A longer one is replaced by its hash. */
const LONGEST_KEY = 512;

/** Short whatever the value is, and the same in each session. */
const SHORT: ReadonlySet<string> = new Set(['int2', 'int4', 'int8', 'bool', 'uuid', 'oid']);

/** The same in each session. */
const PLAIN: ReadonlySet<string> = new Set(['text', 'varchar', 'bpchar', 'numeric', 'name', 'json', 'jsonb']);

const MONEY: ReadonlySet<string> = new Set(['money', '_money']);

/**
 * The SQL of a capture's values, of one table. It runs with the rights of the account that applies the capture, and the
 * table's owner may have types of any kind, also later. So nothing calls a cast, an operator or a domain's check of theirs.
 */
export class Expressions {
  readonly #plan: CapturePlan;
  readonly #table: CapturedTable;

  constructor(plan: CapturePlan, table: CapturedTable) {
    this.#plan = plan;
    this.#table = table;
  }

  /** Whether some values depend on settings of the session. */
  get needsSettings(): boolean {
    return this.#written.some(
      (column) => !isShort(column) && !(column.isBuiltIn && PLAIN.has(column.type)) && !isString(column),
    );
  }

  get mayHaveMoney(): boolean {
    return this.#written.some(
      ({ isBuiltIn, type, kind }) => MONEY.has(type) || (!isBuiltIn && kind !== 'b' && kind !== 'e'),
    );
  }

  /** The columns whose values are written as text, or compared with one. */
  get #written(): readonly Column[] {
    const { id, key, columns, conditions } = this.#plan;
    const names = [...id, ...key, ...columns, ...conditions.map(({ column }) => column)];
    return names.map((name) => columnOf(this.#table, name));
  }

  /** Whether the row is there. The columns of `id` are never null. */
  isThere(row: Row): string {
    return `${this.#of(row, this.#plan.id[0] ?? '')} IS DISTINCT FROM NULL`;
  }

  /** By bytes, which needs no operator of the types, and can be joined by. */
  sameRow(): string {
    return `${this.#record('n', this.#plan.id)} *= ${this.#record('o', this.#plan.id)}`;
  }

  id(row: Row): string {
    return this.#object(row, this.#plan.id);
  }

  /** The key of the job, or NULL. */
  key(row: Row): string {
    const { key } = this.#plan;
    if (key.length === 0) return 'NULL';
    const text = key.map((name) => this.#text(row, name)).join(` || ',' || `);
    if (key.length === 1 && key.every((name) => isShortKey(columnOf(this.#table, name)))) return text;
    // In the encoding of the database every text has bytes.
    const hash = `encode(sha256(convert_to(${text}, getdatabaseencoding())), 'hex')`;
    return `CASE WHEN length(${text}) > ${LONGEST_KEY} THEN ${hash} ELSE nullif(${text}, '') END`;
  }

  /** Whether an update can change the key of a row whose `id` stays. */
  get movesKeys(): boolean {
    return this.#plan.key.some((name) => !this.#plan.id.includes(name));
  }

  /** Whether the update counts, of a row that is there before and after it. */
  changed(): string | null {
    const { update } = this.#plan;
    if (typeof update === 'boolean') return null;
    // Compares bytes: null-safe, and also of types that have no equality, as json and point.
    return `${this.#record('n', update)} *<> ${this.#record('o', update)}`;
  }

  /** Whether the row meets the conditions. Null if there are none. */
  meets(row: Row, conditions = this.#plan.conditions): string | null {
    if (conditions.length === 0) return null;
    return conditions
      .map((condition) =>
        conditionSql(condition, columnOf(this.#table, condition.column), this.#of(row, condition.column)),
      )
      .join(' AND ');
  }

  /**
   * Ends a trigger whose conditions can no longer be computed, as a statement.
   *
   * @param value Of a column by its name, whatever row it is of.
   */
  endUnknown(value: (column: string) => string): string {
    return this.#plan.conditions
      .map((condition) => {
        const known = isKnownType(
          condition,
          columnOf(this.#table, condition.column),
          value(condition.column),
        );
        if (known === undefined) return '';
        const message = `The column ${JSON.stringify(condition.column)} has another type: run captures.apply()`;
        return `    IF NOT ${known} THEN\n      RAISE EXCEPTION USING MESSAGE = ${literal(message)};\n    END IF;\n`;
      })
      .join('');
  }

  /** The payload's members of chosen values. */
  values(rows: readonly Row[]): string {
    const { columns } = this.#plan;
    if (columns.length === 0) return '';
    const long = columns.filter((name) => !isShort(columnOf(this.#table, name)));
    const sizes = rows.flatMap((row) =>
      long.map((name) => `coalesce(octet_length(${this.#text(row, name)}), 0)`),
    );
    return rows
      .map((row) => {
        const object = this.#object(row, columns);
        const isGiven = rows.length === 1 ? [] : [this.isThere(row)];
        const fits = sizes.length === 0 ? [] : [`${sizes.join(' + ')} <= ${MOST_VALUES}`];
        const when = [...isGiven, ...fits].join(' AND ');
        return `, '${row === 'n' ? 'new' : 'old'}', ${when === '' ? object : `CASE WHEN ${when} THEN ${object} END`}`;
      })
      .join('');
  }

  /** Of two arrays, as a function takes no more than 100 arguments. */
  #object(row: Row, names: readonly string[]): string {
    const texts = names.map((name) => this.#text(row, name));
    return `jsonb_object(ARRAY[${names.map(literal).join(', ')}], ARRAY[${texts.join(', ')}])`;
  }

  #record(row: Row, names: readonly string[]): string {
    return `ROW(${names.map((name) => this.#of(row, name)).join(', ')})::record`;
  }

  #text(row: Row, name: string): string {
    return textOf(columnOf(this.#table, name), this.#of(row, name));
  }

  #of(row: Row, name: string): string {
    return `${row}.${identifier(name)}`;
  }
}

function isShort(column: Column): boolean {
  return column.kind === 'e' || isShortKey(column);
}

/** Of an enum the text may be empty, which is no key. */
function isShortKey({ type, isBuiltIn }: Column): boolean {
  return isBuiltIn && SHORT.has(type);
}

/** Of an extension, as citext. */
function isString({ kind, category }: Column): boolean {
  return kind === 'b' && category === 'S';
}
