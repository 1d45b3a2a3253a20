import { mysqlSystem } from './mysql-system.js';
import { postgresSystem } from './postgres-system.js';
import type { DatabaseName, System } from './system.js';

/** Does something with a database's own system, whatever its transactions are. */
export function withSystem<Result>(name: DatabaseName, work: <Tx>(system: System<Tx>) => Result): Result {
  return name === 'postgres' ? work(postgresSystem) : work(mysqlSystem);
}
