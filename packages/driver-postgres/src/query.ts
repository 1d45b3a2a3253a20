import type { QueryResult, QueryResultRow } from 'pg';
import { toDriverError } from './errors.js';

/**
 * A `pg` client, or an object that passes queries on to one. A handler is given one as `tx`.
 * The client's calls accept a caller's own as `tx`. A caller's `tx` must not be a pool: a pool may send each statement to another connection.
 * A caller's object is called with a text and values, and its answer is an array of rows, or has one in `rows`.
 */
export interface PostgresTransaction {
  query<Row extends QueryResultRow = QueryResultRow>(
    text: string | QueryConfig,
    values?: unknown[],
  ): Promise<QueryResult<Row>>;
}

/** The part of `pg`'s query config that is used here. */
export interface QueryConfig {
  /** The name under which the server keeps the statement prepared. */
  readonly name?: string;
  readonly text: string;
  readonly values?: unknown[];
  // biome-ignore lint/suspicious/noExplicitAny: as pg declares it; what a parser makes is typed by the row.
  readonly types?: { getTypeParser(oid: number, format?: string): (value: any) => any };
}

/** Parsers by type, which override an application's own in `pg.types`. */
const PARSERS: Readonly<Record<number, (text: string) => unknown>> = {
  16: (text) => text === 't',
  20: BigInt,
  21: Number,
  23: Number,
  26: Number,
  700: Number,
  701: Number,
  1700: Number,
  114: (text) => JSON.parse(text),
  3802: (text) => JSON.parse(text),
};

/** The parser of a column's text. */
export function parserOf(oid: number): (text: string) => unknown {
  return PARSERS[oid] ?? String;
}

const types = { getTypeParser: parserOf };

/** The result of a statement. */
export interface Rows<Row extends QueryResultRow> {
  readonly rows: Row[];
  /** The number of changed or returned rows. */
  readonly rowCount: number | null;
}

/** The target of the driver's own statements. */
export interface Queryable {
  query<Row extends QueryResultRow>(statement: QueryConfig): Promise<Rows<Row>>;
}

/** Runs one of the driver's own statements, prepared if it has a name. @throws DriverError */
export async function query<Row extends QueryResultRow>(
  on: Queryable,
  text: string,
  values: unknown[] = [],
  name?: string,
): Promise<Row[]> {
  try {
    const { rows } = await on.query<Row>(statementOf(text, values, name));
    return rows;
  } catch (error) {
    throw toDriverError(error);
  }
}

/**
 * Runs one of the statements that a caller's transaction may have. Each row is JSON, as text in the column `answer`: no
 * parser of the caller's connection alters it. The values are texts, or null.
 *
 * @throws DriverError
 */
export async function answers<Answer>(
  on: Queryable,
  text: string,
  values: readonly (string | null)[],
): Promise<Answer[]> {
  const rows = await query<{ answer: string }>(on, text, [...values]);
  return rows.map(({ answer }) => JSON.parse(answer));
}

/** A value as text. Null without a value. */
export function textOrNull(value: string | number | bigint | null | undefined): string | null {
  return value === null || value === undefined ? null : String(value);
}

/** One of the driver's own statements, with its values. */
export function statementOf(text: string, values: unknown[], name?: string): QueryConfig {
  return name === undefined ? { text, values, types } : { name, text, values, types };
}
