import { type Handle, isMysqlHandle } from './handle.js';
import { MysqlConnection } from './mysql-connection.js';
import { Nesting, Standing, type Turns } from './nesting.js';
import { PostgresClient } from './postgres-client.js';

/** Of all clients of a handler's `tx`, because savepoints are the transaction's. */
const nestings = new WeakMap<Handle, Nesting>();
const standings = new WeakMap<Handle, Standing>();

/** A handler's `tx` as the client that an ORM expects. @throws InvalidInputError */
export function clientOf(name: string, tx: Handle): PostgresClient | MysqlConnection {
  return madeOf(name, tx, () => turnsOf(nestings, tx, Nesting));
}

/** The same for an ORM's transaction that is the claim's own. @throws InvalidInputError */
export function standingClientOf(name: string, tx: Handle): PostgresClient | MysqlConnection {
  return madeOf(name, tx, () => turnsOf(standings, tx, Standing));
}

function madeOf(name: string, tx: Handle, turns: () => Turns): PostgresClient | MysqlConnection {
  return isMysqlHandle(name, tx) ? new MysqlConnection(tx, turns()) : new PostgresClient(tx, turns());
}

function turnsOf<Kind extends Turns>(known: WeakMap<Handle, Kind>, tx: Handle, Made: new () => Kind): Kind {
  const turns = known.get(tx) ?? new Made();
  known.set(tx, turns);
  return turns;
}
