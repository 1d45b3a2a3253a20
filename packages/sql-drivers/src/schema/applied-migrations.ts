import { DriverError } from '@rowlock/core';

/** A row of the table of migrations. */
export interface AppliedMigration {
  readonly version: number;
  readonly name: string;
  /** Missing where the table is of the time before checksums. */
  readonly checksum?: string;
}

/**
 * The newest version of the tables. All before it must be there. What this driver has too must be the same text: later migrations
 * fit no other tables.
 *
 * @param checksums Those of the driver's migrations, from version 1 on.
 * @throws DriverError `SchemaDiffers`
 */
export function newestVersion(
  applied: readonly AppliedMigration[],
  checksums: readonly string[],
  place: 'schema' | 'database',
  placeName: string,
): number {
  const versions = applied.map(({ version }) => Number(version));
  for (const [index, { name, checksum }] of applied.entries()) {
    const own = checksums[(versions[index] ?? 0) - 1];
    if (own === undefined || checksum === own) continue;
    throw new DriverError(
      'SchemaDiffers',
      `Rowlock's tables in the ${place} ${JSON.stringify(placeName)} were made by another text of the migration ${name} than ` +
        `this driver has, so no later one fits them. Use the version that made them, or give this one an empty ${place} to migrate.`,
    );
  }
  const newest = Math.max(0, ...versions);
  const left = Array.from({ length: Math.min(newest, checksums.length) }, (_, n) => n + 1).find(
    (version) => !versions.includes(version),
  );
  if (left === undefined) return newest;
  throw new DriverError(
    'SchemaDiffers',
    `Rowlock's tables in the ${place} ${JSON.stringify(placeName)} have a record of the migration ${newest} in rowlock_migration, and ` +
      `none of the migration ${left}: it was left out, or its record was deleted. If its tables are there, put the record back. ` +
      'Otherwise run this migration alone, out of the script of all of them, which `npx @rowlock/cli sql` prints.',
  );
}
