import type { DatabaseName, System } from './system.js';

/** Does something with a database's own system, whatever its transactions are. Only that one's client is loaded. */
export async function withSystem<Result>(
  name: DatabaseName,
  work: <Tx>(system: System<Tx>) => Promise<Result>,
): Promise<Result> {
  if (name === 'postgres') return work((await import('./postgres-system.js')).postgresSystem);
  return work((await import('./mysql-system.js')).mysqlSystem);
}
