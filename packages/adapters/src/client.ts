import { type Handle, isMysqlHandle } from './handle.js';
import { MysqlConnection } from './mysql-connection.js';
import { PostgresClient } from './postgres-client.js';

const clients = new WeakMap<Handle, PostgresClient | MysqlConnection>();

/** A handler's `tx` as the client that an ORM expects, the same for each call. @throws InvalidInputError */
export function clientOf(name: string, tx: Handle): PostgresClient | MysqlConnection {
  const client =
    clients.get(tx) ?? (isMysqlHandle(name, tx) ? new MysqlConnection(tx) : new PostgresClient(tx));
  clients.set(tx, client);
  return client;
}
