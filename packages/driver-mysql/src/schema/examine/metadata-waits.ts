import type { Fault } from '@rowlock/core/driver';
import type { Context } from '../../context.js';
import type { Product } from '../../product.js';
import { type MysqlTransaction, query } from '../../query.js';

/** From so long on, in seconds: what waits for less is on its way. */
const LONG_S = 2;

interface Waiting {
  readonly session: number | string;
  readonly seconds: number | string;
  /** How its statement begins. */
  readonly verb: string;
}

/** The statements that wait until no transaction uses one of Rowlock's tables. Later statements on the table wait behind them. */
const WAITING: Readonly<Record<Product, string>> = {
  MySQL: `
    SELECT DISTINCT session.PROCESSLIST_ID AS session, session.PROCESSLIST_TIME AS seconds,
           SUBSTRING_INDEX(session.PROCESSLIST_INFO, ' ', 2) AS verb
    FROM performance_schema.metadata_locks AS wanted
    JOIN performance_schema.threads AS session ON session.THREAD_ID = wanted.OWNER_THREAD_ID
    WHERE wanted.OBJECT_TYPE = 'TABLE' AND wanted.OBJECT_SCHEMA = ? AND wanted.OBJECT_NAME LIKE 'rowlock\\_%'
      AND wanted.LOCK_STATUS = 'PENDING' AND wanted.LOCK_TYPE IN ('EXCLUSIVE', 'SHARED_NO_READ_WRITE', 'SHARED_NO_WRITE')
      AND session.PROCESSLIST_TIME >= ?`,
  MariaDB: `
    SELECT ID AS session, TIME AS seconds, SUBSTRING_INDEX(INFO, ' ', 2) AS verb FROM information_schema.PROCESSLIST
    WHERE DB = ? AND STATE = 'Waiting for table metadata lock' AND INFO LIKE '%rowlock\\_%' AND TIME >= ?
      AND INFO REGEXP '^(ALTER|CREATE|DROP|LOCK|OPTIMIZE|RENAME|TRUNCATE) '`,
};

/** Looks for a statement that waits for claims, as an ALTER of the job table does. */
export async function metadataWaits(
  on: MysqlTransaction,
  here: Pick<Context, 'schema' | 'product'>,
  longS = LONG_S,
): Promise<readonly Fault[]> {
  const rows = await query<Waiting>(on, WAITING[await here.product(on)], [here.schema, longS]);
  return rows.map(({ session, seconds, verb }) => ({
    severity: 'broken',
    what: `The ${verb} of the session ${session} has waited for ${Number(seconds)} s for a table of Rowlock.`,
    why: 'It waits until no handler holds a claim, and all enqueues and claims wait behind it.',
    remedy: `End it: KILL ${session}. Pause the work before it is run again, and give it a lock_wait_timeout of a few seconds.`,
  }));
}
