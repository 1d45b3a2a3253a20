import { checkClientVersion } from '@rowlock/sql-drivers';

/** As `peerDependencies` says. */
export const CLIENT = { name: 'mysql2', oldest: [3, 18] } as const;

/** Checks the client that the application has installed. Returns warnings. @throws DriverError for a version that is too old */
export function verifyClient(): readonly string[] {
  return checkClientVersion(CLIENT, import.meta.url);
}
