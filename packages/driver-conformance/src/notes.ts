import type { Reader, TestDatabase } from './driver-harness.js';

/** What handlers write, in a table of its own. */
export interface Notes<Tx> {
  /** The table's name; its column is `note`. */
  readonly table: string;
  write(tx: Tx, note: string): Promise<unknown>;
  /** What is committed, read past the driver. */
  all(): Promise<readonly string[]>;
}

/** Makes the table. It is gone after the test. */
export async function createNotes<Tx>(
  database: Pick<TestDatabase<Tx>, 'run'>,
  reader: Pick<Reader, 'exec'>,
  table: string,
  defer: (undo: () => Promise<unknown>) => void,
): Promise<Notes<Tx>> {
  await reader.exec(`CREATE TABLE ${table} (note VARCHAR(100))`);
  defer(() => reader.exec(`DROP TABLE ${table}`));
  return {
    table,
    write: (tx, note) => database.run(tx, `INSERT INTO ${table} VALUES ('${note}')`),
    all: async () => (await reader.exec(`SELECT note FROM ${table}`)).map(({ note }) => String(note)),
  };
}
