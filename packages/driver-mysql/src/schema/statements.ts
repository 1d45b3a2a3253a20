import type { Tables } from './tables.js';

export const schemaStatements = ({ migration }: Tables) => ({
  version: `SELECT COALESCE(MAX(version), 0) AS version FROM ${migration}`,

  // A row that is always there.
  lockMigration: (otherwise: string): string =>
    `SELECT 1 FROM ${migration} WHERE version = ? FOR UPDATE ${otherwise}`,
});
