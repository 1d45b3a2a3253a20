import { type PostgresTransaction, query } from '../query.js';

/** What depends on the server's version and on the system that it runs on. */
export interface Server {
  /** Whether it can bound a transaction as a whole, `transaction_timeout`: Postgres 17 and later. */
  readonly boundsTransactions: boolean;
  /** Whether it can look for the client's end while a statement runs, `client_connection_check_interval`. */
  readonly looksForClients: boolean;
  /** How many connections it lets in. */
  readonly connections: number;
}

const SERVER = `
  SELECT current_setting('server_version_num')::integer >= 170000 AS "boundsTransactions",
         version() LIKE '%linux%' AS "looksForClients",
         current_setting('max_connections')::integer
           - current_setting('superuser_reserved_connections')::integer
           - coalesce(current_setting('reserved_connections', true)::integer, 0) AS connections`;

/** Asks the server once, and again only after a failure. @throws DriverError */
export function serverOf(on: PostgresTransaction): () => Promise<Server> {
  let asked: Promise<Server> | null = null;
  return () => {
    asked ??= ask(on).catch((error: unknown) => {
      asked = null;
      throw error;
    });
    return asked;
  };
}

async function ask(on: PostgresTransaction): Promise<Server> {
  const [server] = await query<Server & { [column: string]: unknown }>(on, SERVER);
  return (
    server ?? { boundsTransactions: false, looksForClients: false, connections: Number.POSITIVE_INFINITY }
  );
}
