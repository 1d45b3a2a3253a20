import { DriverError } from '@rowlock/core';

/** The error for tables or functions that are missing though their migrations are on record, so that no migration makes them again. */
export function droppedTables(
  names: readonly string[],
  place: 'schema' | 'database',
  placeName: string,
): DriverError {
  return new DriverError(
    'SchemaDiffers',
    `Rowlock's tables in the ${place} ${JSON.stringify(placeName)} are not all there, though rowlock_migration says that they were made. ` +
      `Missing: ${names.join(', ')}. Restore them from a backup, or make them again as \`npx @rowlock/cli sql\` prints them.`,
  );
}
