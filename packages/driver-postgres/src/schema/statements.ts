import type { Tables } from './tables.js';

export const schemaStatements = ({ migration }: Tables) => ({
  version: `SELECT coalesce(max(version), 0) AS version FROM ${migration}`,

  // A row that is always there.
  lockMigration: (otherwise: string): string =>
    `SELECT 1 FROM ${migration} WHERE version = $1 FOR UPDATE ${otherwise}`,
});
