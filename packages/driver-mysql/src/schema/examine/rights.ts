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

/** What it needs as well where there are schedules: any worker fires them. */
const OF_SCHEDULES: typeof OF_WORKERS = [
  ['INSERT', 'job'],
  ['UPDATE', 'schedule'],
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
  const rules = (await hasSchedules(on, tables.schedule)) ? [...OF_WORKERS, ...OF_SCHEDULES] : OF_WORKERS;
  for (const [right, ...keys] of rules)
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
    why: 'A worker of this account cannot claim, record or settle jobs, or fire schedules.',
    remedy: `GRANT ${right} ON ${table} TO …. Or connect with the account of the workers.`,
  };
}

/** False also where they may not be read, which is a finding of its own. */
async function hasSchedules(on: MysqlTransaction, schedule: string): Promise<boolean> {
  const rows = await query(on, `SELECT 1 FROM ${schedule} LIMIT 1`).catch((error: unknown) => {
    if (isDriverError(error, 'PermissionDenied')) return [];
    throw error;
  });
  return rows.length > 0;
}
