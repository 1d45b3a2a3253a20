import { checkClientVersion } from '@rowlock/sql-drivers';
import pg, { type Pool } from 'pg';

/** As `peerDependencies` says. */
export const CLIENT = { name: 'pg', oldest: [8, 23] } as const;

const TWO_COPIES =
  "The pool's connections are of another copy of pg than the driver's, so the pool's 'pipeline' has no effect: each statement waits " +
  'for the answer to the one before it. `npm ls pg` shows both copies. Install one version for the whole application.';

/** Checks the client that the application has installed. Returns warnings. @throws DriverError for a version that is too old */
export function verifyClient(pool: Pool): readonly string[] {
  const warnings = checkClientVersion(CLIENT, import.meta.url);
  return pool.options.pipeline === true && !isOfOwnCopy(pool) ? [...warnings, TWO_COPIES] : warnings;
}

/** Whether the driver's messages fit the pool's connections. */
function isOfOwnCopy(pool: Pool): boolean {
  // The client's types do not have this.
  const { Client } = Object(pool);
  return Client === pg.Client || Object(Client).prototype instanceof pg.Client;
}
