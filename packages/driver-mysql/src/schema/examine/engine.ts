import type { Fault } from '@rowlock/core/driver';
import { type MysqlTransaction, query } from '../../query.js';

const OTHERS = `
  SELECT TABLE_NAME AS name, ENGINE AS engine FROM information_schema.TABLES
  WHERE TABLE_SCHEMA = ? AND TABLE_NAME LIKE 'rowlock\\_%' AND ENGINE <> 'InnoDB' ORDER BY TABLE_NAME`;

/** Looks for tables whose engine has no transactions. */
export async function engine(on: MysqlTransaction, schema: string): Promise<readonly Fault[]> {
  const rows = await query<{ name: string; engine: string }>(on, OTHERS, [schema]);
  return rows.map(({ name, engine }) => ({
    severity: 'broken',
    what: `The table ${name} has the engine ${engine}.`,
    why: 'It has no transactions and no row locks: jobs run twice, and get lost.',
    remedy: `ALTER TABLE ${name} ENGINE = InnoDB, while no worker runs.`,
  }));
}
