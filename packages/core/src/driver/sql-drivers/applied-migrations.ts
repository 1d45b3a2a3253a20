import { DriverError } from '../driver-error.js';

/** A row of the table of migrations. */
export interface AppliedMigration {
  readonly version: number;
  readonly name: string;
  /** Missing where the table is of the time before checksums. */
  readonly checksum?: string;
}

/**
 * The newest version of the tables. What this driver has too must be the same text: later migrations fit no other tables.
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
  return Math.max(0, ...versions);
}
