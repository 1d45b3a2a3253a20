import type { Fault } from '@rowlock/core/driver';
import type { Context } from '../../context.js';
import { type MysqlTransaction, query } from '../../query.js';

/** MariaDB has another word for it. */
const HIDDEN = { MySQL: "IS_VISIBLE = 'NO'", MariaDB: "IGNORED = 'YES'" } as const;

/** Looks for indexes that the server does not use, and that statements name. */
export async function invisible(
  on: MysqlTransaction,
  context: Pick<Context, 'schema' | 'product'>,
): Promise<readonly Fault[]> {
  const { schema } = context;
  const rows = await query<{ name: string }>(
    on,
    `SELECT DISTINCT CONCAT(TABLE_NAME, '.', INDEX_NAME) AS name FROM information_schema.STATISTICS
     WHERE TABLE_SCHEMA = ? AND TABLE_NAME LIKE 'rowlock\\_%' AND ${HIDDEN[await context.product(on)]}`,
    [schema],
  );
  return rows.map(({ name }) => ({
    severity: 'broken',
    what: `The index ${name} of the database ${schema} is invisible.`,
    why: 'Statements that name it fail.',
    remedy: 'ALTER TABLE … ALTER INDEX … VISIBLE, or on MariaDB NOT IGNORED.',
  }));
}
