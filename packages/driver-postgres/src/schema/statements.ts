import type { Tables } from './tables.js';

export const schemaStatements = ({ migration }: Tables) => ({
  // All columns: tables of the time before checksums lack one.
  applied: `SELECT * FROM ${migration} ORDER BY version`,

  // A row that is always there.
  lockMigration: (otherwise: string): string =>
    `SELECT 1 FROM ${migration} WHERE version = $1 FOR UPDATE ${otherwise}`,
});
