import type { Driver } from '@rowlock/core';
import { driverModule } from './installed.js';
import type { Target } from './target.js';

/**
 * Nothing is connected yet.
 *
 * @param connections The most at once.
 * @throws Failure when the driver is not installed; InvalidInputError
 */
export async function openDriver({ engine, url, schema }: Target, connections: number): Promise<Driver> {
  if (engine === 'postgres') {
    const { postgres } = await driverModule('postgres');
    return postgres({
      connectionString: url,
      maxConnections: connections,
      ...(schema !== undefined && { schema }),
    });
  }
  const { mysql } = await driverModule('mysql');
  return mysql({ uri: url, maxConnections: connections, ...(schema !== undefined && { database: schema }) });
}
