import type { Tables } from './tables.js';

export const schemaStatements = ({ migration, worker, bell: _, ...emptied }: Tables) => ({
  // All columns: tables of the time before checksums lack one.
  applied: `SELECT * FROM ${migration} ORDER BY version`,

  // A row that is always there.
  lockMigration: (clause: string): string => `SELECT 1 FROM ${migration} WHERE version = $1 ${clause}`,

  // TRUNCATE would wait for every reader, and takes 20 ms for tables of a few rows.
  empty: `
      WITH ${Object.entries(emptied)
        .map(([name, table]) => `"${name}" AS (DELETE FROM ${table})`)
        .join(', ')}
      DELETE FROM ${worker} WHERE stopped_at IS NOT NULL`,
});
