import type { Tables } from './tables.js';

/** All tables but those of the migrations, the workers and the doorbell. */
const EMPTIED = [
  'job',
  'run',
  'openRun',
  'slot',
  'setting',
  'pause',
  'rate',
  'schedule',
  'follower',
  'expiry',
  'tally',
  'audit',
  'captureLoss',
  'captureBackfill',
] as const satisfies readonly (keyof Tables)[];

/** All tables but that of the migrations. */
export const TABLES = [...EMPTIED, 'worker', 'bell'] as const satisfies readonly (keyof Tables)[];

export const schemaStatements = ({ migration, worker, ...others }: Tables) => ({
  // All columns: tables of the time before checksums lack one.
  applied: `SELECT * FROM ${migration} ORDER BY version`,

  // The same where all tables are there, and may be read. Reads no row of theirs: MariaDB ignores a LIMIT 0 here.
  appliedToAll: `
      SELECT * FROM ${migration}
      WHERE NOT EXISTS (SELECT 1 FROM ${TABLES.map((name) => ({ worker, ...others })[name]).join(', ')} WHERE FALSE)
      ORDER BY version`,

  // A row that is always there.
  lockMigration: (otherwise: string): string =>
    `SELECT 1 FROM ${migration} WHERE version = ? FOR UPDATE ${otherwise}`,

  // TRUNCATE would commit by itself, and waits for every reader.
  empty: [
    ...EMPTIED.map((name) => `DELETE FROM ${others[name]}`),
    `DELETE FROM ${worker} WHERE stopped_at IS NOT NULL`,
  ],
});
