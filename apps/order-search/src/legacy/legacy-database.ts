/** A value of a column. */
export type Value = string | number | null;

/** What an old application has of the database: SQL, and nothing of this one. Statements have `?` for their values. */
export interface LegacySession {
  /** @returns how many rows the statement changed */
  run(sql: string, values?: readonly Value[]): Promise<number>;
  /** The first column of each row. */
  numbers(sql: string, values?: readonly Value[]): Promise<readonly number[]>;
}

export interface LegacyDatabase extends LegacySession {
  /** Commits what `work` does, or nothing of it if it throws. */
  transaction(work: (session: LegacySession) => Promise<void>): Promise<void>;
  /** Creates the schema of the tables, where they have one of their own. */
  createSchema(): Promise<void>;
  /** Has the server count what has been filled in, so that it plans for that. */
  analyze(): Promise<void>;
  close(): Promise<void>;
}

/** Thrown by an application that has changed its mind: its transaction is rolled back, and nothing is wrong. */
export class RolledBack extends Error {
  override readonly name = 'RolledBack';
}

/** Adds rows to a table, by one statement. */
export async function insert(
  session: LegacySession,
  table: string,
  columns: string,
  rows: readonly (readonly Value[])[],
): Promise<void> {
  if (rows.length === 0) return;
  const row = `(${columns
    .split(',')
    .map(() => '?')
    .join(', ')})`;
  await session.run(
    `INSERT INTO ${table} (${columns}) VALUES ${rows.map(() => row).join(', ')}`,
    rows.flat(),
  );
}
