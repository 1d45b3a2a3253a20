import type { QueryResult, QueryResultRow } from 'pg';
import { toDriverError } from './errors.js';

/**
 * What can be asked: a `pg` client, or anything that passes queries on to one. As a caller's `tx` no pool: it may send each statement to another
 * connection.
 *
 * A handler is given one as `tx`, and a caller's own is accepted as `tx` by the client's calls.
 */
export interface PostgresTransaction {
  query<Row extends QueryResultRow = QueryResultRow>(
    text: string | QueryConfig,
    values?: unknown[],
  ): Promise<QueryResult<Row>>;
}

/** The part of `pg`'s query config that is used here. */
export interface QueryConfig {
  /** Under which the server keeps the statement prepared. */
  readonly name?: string;
  readonly text: string;
  readonly values?: unknown[];
  // biome-ignore lint/suspicious/noExplicitAny: as pg declares it; what a parser makes is typed by the row.
  readonly types?: { getTypeParser(oid: number, format?: string): (value: any) => any };
}

/** Parsers by type, whatever an application has set for itself in `pg.types`. */
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

/** What makes a value of a column's text. */
export function parserOf(oid: number): (text: string) => unknown {
  return PARSERS[oid] ?? String;
}

const types = { getTypeParser: parserOf };

/** What comes back. */
export interface Rows<Row extends QueryResultRow> {
  readonly rows: Row[];
  /** How many it has changed, or brought. */
  readonly rowCount: number | null;
}

/** What the driver asks its own statements of. */
export interface Asked {
  query<Row extends QueryResultRow>(statement: QueryConfig): Promise<Rows<Row>>;
}

/** Asks one of the driver's own statements, prepared if it has a name. @throws DriverError */
export async function query<Row extends QueryResultRow>(
  on: Asked,
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

/** One of the driver's own statements, as it is asked. */
export function statementOf(text: string, values: unknown[], name?: string): QueryConfig {
  return name === undefined ? { text, values, types } : { name, text, values, types };
}
