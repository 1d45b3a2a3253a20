import { type PostgresTransaction, query } from '../query.js';

/** Facts that depend on the server's version and operating system. */
export interface Server {
  /** Whether the server can bound a whole transaction by `transaction_timeout`: Postgres 17 and later. */
  readonly boundsTransactions: boolean;
  /** Whether the server can detect a lost client during a statement, by `client_connection_check_interval`. */
  readonly looksForClients: boolean;
}

const SERVER = `
  SELECT current_setting('server_version_num')::integer >= 170000 AS "boundsTransactions",
         version() LIKE '%linux%' AS "looksForClients"`;

/** Queries the server once. Queries again only after a failure. @throws DriverError */
export function serverOf(pool: PostgresTransaction): (on?: PostgresTransaction) => Promise<Server> {
  let known: Promise<Server> | null = null;
  return (on = pool) => {
    known ??= read(on).catch((error: unknown) => {
      known = null;
      throw error;
    });
    return known;
  };
}

async function read(on: PostgresTransaction): Promise<Server> {
  const [server] = await query<Server & { [column: string]: unknown }>(on, SERVER);
  return server ?? { boundsTransactions: false, looksForClients: false };
}
