import type { Fault } from '@rowlock/core/driver';
import { type MysqlTransaction, query } from '../../query.js';

/** The next ids beyond nine tenths of a BIGINT. */
const NEAR_END = `
  SELECT TABLE_NAME AS name, CAST(AUTO_INCREMENT AS CHAR) AS next FROM information_schema.TABLES
  WHERE TABLE_SCHEMA = ? AND TABLE_NAME IN ('rowlock_job', 'rowlock_bell') AND AUTO_INCREMENT > 8300000000000000000`;

/** Whether the ids to come are nearly used up. */
export async function sequences(on: MysqlTransaction, schema: string): Promise<readonly Fault[]> {
  const rows = await query<{ name: string; next: string }>(on, NEAR_END, [schema]);
  return rows.map(({ name, next }) => ({
    severity: 'warning',
    what: `The ids of ${name} are nearly used up: the next one is ${next}.`,
    why: 'When there is no id any more, each enqueue fails.',
    remedy: 'A row with a high id was written by hand: delete it, and set AUTO_INCREMENT back.',
  }));
}
