import type { CapturePlan, ColumnCondition } from '@rowlock/core/driver';
import { identifier } from '../identifier.js';
import { literal } from '../literal.js';
import type { CapturedTable, Column } from './table.js';

/** The alias of a row: as it is now, or as it was before. */
export type Row = 'n' | 'o';

/** The most bytes of old and new values in a payload. With all escapes, six times as many are still a payload. */
const MOST_VALUES = 262_144;

/** How many characters of a key a job can have. A longer one is replaced by its hash. */
const LONGEST_KEY = 512;

/** Short whatever the value is, and the same in each session. */
const SHORT: ReadonlySet<string> = new Set(['int2', 'int4', 'int8', 'bool', 'uuid', 'oid']);

/** The same in each session. */
const PLAIN: ReadonlySet<string> = new Set([
  'text',
  'varchar',
  'bpchar',
  'numeric',
  'name',
  'json',
  'jsonb',
  'citext',
]);

/** The SQL of a capture's values, of one table. */
export class Expressions {
  readonly #plan: CapturePlan;
  readonly #table: CapturedTable;

  constructor(plan: CapturePlan, table: CapturedTable) {
    this.#plan = plan;
    this.#table = table;
  }

  /** Whether the text of some values depends on settings of the session. */
  get needsSettings(): boolean {
    const { id, key, columns } = this.#plan;
    return [...id, ...key, ...columns].some((name) => {
      const column = this.#column(name);
      return !isShort(column) && !PLAIN.has(column.type);
    });
  }

  /** Whether the row is there. The columns of `id` are never null. */
  isThere(row: Row): string {
    return `${this.#of(row, this.#plan.id[0] ?? '')} IS NOT NULL`;
  }

  sameRow(): string {
    return this.#plan.id.map((name) => `${this.#of('n', name)} = ${this.#of('o', name)}`).join(' AND ');
  }

  id(row: Row): string {
    return this.#object(row, this.#plan.id);
  }

  /** The key of the job, or NULL. */
  key(row: Row): string {
    const { key } = this.#plan;
    if (key.length === 0) return 'NULL';
    const text = key.map((name) => `${this.#of(row, name)}::text`).join(` || ',' || `);
    if (key.every((name) => isShort(this.#column(name)))) return text;
    const hash = `encode(sha256(convert_to(${text}, 'UTF8')), 'hex')`;
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
    const values = (row: Row): string =>
      `ROW(${update.map((name) => this.#of(row, name)).join(', ')})::record`;
    // Compares bytes: null-safe, and also of types that have no equality, as json and point.
    return `${values('n')} *<> ${values('o')}`;
  }

  /** Whether the row meets the conditions. Null if there are none. */
  meets(row: Row): string | null {
    const { conditions } = this.#plan;
    if (conditions.length === 0) return null;
    return conditions.map((condition) => this.#condition(row, condition)).join(' AND ');
  }

  /** The payload's members of chosen values. */
  values(rows: readonly Row[]): string {
    const { columns } = this.#plan;
    if (columns.length === 0) return '';
    const long = columns.filter((name) => !isShort(this.#column(name)));
    const sizes = rows.flatMap((row) =>
      long.map((name) => `coalesce(octet_length(${this.#of(row, name)}::text), 0)`),
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

  #object(row: Row, names: readonly string[]): string {
    const members = names.map((name) => `${literal(name)}, ${this.#of(row, name)}::text`);
    return `jsonb_build_object(${members.join(', ')})`;
  }

  #condition(row: Row, { column, values, orNull }: ColumnCondition): string {
    const name = this.#of(row, column);
    const given = values.flatMap((value) => (value instanceof Object ? [] : [literal(value)]));
    const parts = [
      ...(given.length > 0 ? [`${name} IN (${given.join(', ')})`] : []),
      ...(orNull ? [`${name} IS NULL`] : []),
    ];
    return parts.length === 0 ? 'false' : `(${parts.join(' OR ')})`;
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

function isShort({ type, isEnum }: Column): boolean {
  return isEnum || SHORT.has(type);
}
