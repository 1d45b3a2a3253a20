import { isDriverError } from '@rowlock/core';
import type { Fault } from '@rowlock/core/driver';
import { type MysqlTransaction, query } from '../../query.js';
import type { Tables } from '../tables.js';

type Right = 'SELECT' | 'INSERT' | 'UPDATE' | 'DELETE';

/** What a worker without a retention, schedules of its own and handlers that enqueue needs, as in the README. */
const OF_WORKERS: readonly (readonly [right: Right, ...tables: (keyof Tables)[]])[] = [
  ['SELECT', 'job', 'run', 'openRun', 'worker', 'bell', 'slot', 'setting', 'pause'],
  ['SELECT', 'follower', 'expiry', 'rate', 'schedule', 'tally', 'migration'],
  ['INSERT', 'run', 'openRun', 'worker', 'bell', 'slot', 'rate', 'tally'],
  ['UPDATE', 'job', 'run', 'worker', 'slot', 'rate', 'tally'],
  ['DELETE', 'follower', 'expiry', 'openRun', 'worker', 'bell', 'slot', 'tally'],
];

/** EXPLAIN needs the rights of its statement. The server checks them first, and the column in the statement does not matter. */
const PROBES: Readonly<Record<Right, (table: string) => string>> = {
  SELECT: (table) => `EXPLAIN SELECT 1 FROM ${table}`,
  INSERT: (table) => `EXPLAIN INSERT INTO ${table} (no_column) SELECT 1 FROM DUAL WHERE FALSE`,
  UPDATE: (table) => `EXPLAIN UPDATE ${table} SET no_column = 1 WHERE FALSE`,
  DELETE: (table) => `EXPLAIN DELETE FROM ${table} WHERE FALSE`,
};

/** Which rights of a worker this account lacks. */
export async function rights(on: MysqlTransaction, tables: Tables): Promise<readonly Fault[]> {
  const faults: Fault[] = [];
  for (const [right, ...keys] of OF_WORKERS)
    for (const key of keys)
      if (await isDenied(on, PROBES[right](tables[key]))) faults.push(lacking(right, tables[key]));
  return faults;
}

async function isDenied(on: MysqlTransaction, probe: string): Promise<boolean> {
  try {
    await query(on, probe);
    return false;
  } catch (error) {
    if (isDriverError(error, 'ConnectionLost')) throw error;
    return isDriverError(error, 'PermissionDenied');
  }
}

function lacking(right: Right, table: string): Fault {
  return {
    severity: 'broken',
    what: `This account lacks ${right} on ${table}.`,
    why: 'A worker of this account cannot claim, record or settle jobs.',
    remedy: `GRANT ${right} ON ${table} TO …. Or connect with the account of the workers.`,
  };
}
