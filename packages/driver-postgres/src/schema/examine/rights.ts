import { isDriverError } from '@rowlock/core';
import type { Fault } from '@rowlock/core/driver';
import { type PostgresTransaction, query } from '../../query.js';
import { type Functions, functions, type Tables, tables } from '../tables.js';

/** What a worker without a retention, schedules of its own and handlers that enqueue needs, as in the README. */
const OF_WORKERS: readonly (readonly [rights: string, ...of: (keyof (Tables & Functions))[]])[] = [
  ['SELECT', 'job', 'run', 'openRun', 'worker', 'bell', 'limitSlot', 'limitMark', 'limitSetting', 'pause'],
  ['SELECT', 'follower', 'expiry', 'rate', 'schedule', 'tally', 'migration'],
  ['INSERT', 'run', 'openRun', 'worker', 'bell', 'limitSlot', 'limitMark', 'rate', 'tally'],
  ['UPDATE', 'job', 'run', 'worker', 'limitSlot', 'rate', 'tally'],
  ['DELETE', 'follower', 'expiry', 'openRun', 'worker', 'bell', 'limitSlot', 'limitMark', 'tally'],
  // Everybody has it, unless somebody has taken it from PUBLIC.
  ['EXECUTE', 'enterLimits', 'takeSlotAlone', 'limitGate', 'pruneSlots'],
];

/** What it needs as well where there are schedules: any worker fires them. */
const OF_SCHEDULES: typeof OF_WORKERS = [
  ['INSERT', 'job'],
  ['UPDATE', 'schedule'],
];

const MISSING = `
  SELECT current_user AS "user", name AS "table", string_agg(need, ', ' ORDER BY place) AS rights
  FROM unnest($1::text[], $2::text[]) WITH ORDINALITY AS needed (name, need, place)
  WHERE CASE need
    WHEN 'EXECUTE' THEN NOT has_function_privilege(to_regproc(name), need)
    ELSE NOT has_table_privilege(name, need)
  END
  GROUP BY name ORDER BY name`;

/** Which rights of a worker this user lacks. */
export async function rights(on: PostgresTransaction, schema: string): Promise<readonly Fault[]> {
  const named = { ...tables(schema), ...functions(schema) };
  const rules = (await hasSchedules(on, named.schedule)) ? [...OF_WORKERS, ...OF_SCHEDULES] : OF_WORKERS;
  const needed = rules.flatMap(([right, ...keys]) => keys.map((key) => ({ name: named[key], right })));
  const values = [needed.map(({ name }) => name), needed.map(({ right }) => right)];
  const rows = await query<{ user: string; table: string; rights: string }>(on, MISSING, values);
  return rows.map(({ user, table, rights: lacking }) => ({
    severity: 'broken',
    what: `The user ${user} lacks ${lacking} on ${table}.`,
    why: 'A worker of this user cannot claim, record or settle jobs, or fire schedules.',
    remedy: `GRANT ${lacking} ON ${lacking === 'EXECUTE' ? `FUNCTION ${table}` : table} TO ${user}. Or connect as the user of the workers.`,
  }));
}

/** False also where they may not be read, which is a finding of its own. */
async function hasSchedules(on: PostgresTransaction, schedule: string): Promise<boolean> {
  const rows = await query(on, `SELECT 1 FROM ${schedule} LIMIT 1`).catch((error: unknown) => {
    if (isDriverError(error, 'PermissionDenied')) return [];
    throw error;
  });
  return rows.length > 0;
}
