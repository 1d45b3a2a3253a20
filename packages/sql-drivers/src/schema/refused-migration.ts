import { DriverError, isDriverError } from '@rowlock/core';

/** The same error, or one that says what to do when the database user may not make or change the tables. */
export function refusedMigration(
  error: DriverError,
  place: 'schema' | 'database',
  placeName: string,
): DriverError {
  if (!isDriverError(error, 'PermissionDenied')) return error;
  return new DriverError(
    'PermissionDenied',
    `This database user may not make or change Rowlock's tables in the ${place} ${JSON.stringify(placeName)}. ${error.message} ` +
      'Migrate as the owner of the tables, or let a DBA run what `npx @rowlock/cli sql` prints.',
    { cause: error.cause },
  );
}
