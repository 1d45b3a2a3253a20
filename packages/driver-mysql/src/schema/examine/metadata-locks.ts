import type { Fault } from '@rowlock/core/driver';
import type { Context } from '../../context.js';
import type { Product } from '../../product.js';
import { type MysqlTransaction, query } from '../../query.js';

/** From so long on, in seconds: what waits or locks for less is on its way. */
const LONG_S = 2;

const AGAIN = 'Then look again: other checks would have waited too, and were left out.';

interface Locking {
  readonly session: number | string;
  readonly seconds: number | string;
  /** Whether it has the lock. MariaDB shows who waits for one alone. */
  readonly holds: number | string;
  /** How its statement begins. */
  readonly verb: string | null;
}

/** The sessions that have, or wait for, a lock that leaves nobody else one of Rowlock's tables. Statements on the table wait behind them. */
const LOCKING: Readonly<Record<Product, string>> = {
  MySQL: `
    SELECT session.PROCESSLIST_ID AS session, session.PROCESSLIST_TIME AS seconds,
           MIN(found.LOCK_STATUS = 'GRANTED') AS holds, SUBSTRING_INDEX(session.PROCESSLIST_INFO, ' ', 2) AS verb
    FROM performance_schema.metadata_locks AS found
    JOIN performance_schema.threads AS session ON session.THREAD_ID = found.OWNER_THREAD_ID
    WHERE found.OBJECT_TYPE = 'TABLE' AND found.OBJECT_SCHEMA = ? AND found.OBJECT_NAME LIKE 'rowlock\\_%'
      AND found.LOCK_STATUS IN ('GRANTED', 'PENDING')
      AND found.LOCK_TYPE IN ('EXCLUSIVE', 'SHARED_NO_READ_WRITE', 'SHARED_NO_WRITE', 'SHARED_READ_ONLY')
      AND session.PROCESSLIST_TIME >= ?
    GROUP BY session, seconds, verb`,
  MariaDB: `
    SELECT ID AS session, TIME AS seconds, 0 AS holds, SUBSTRING_INDEX(INFO, ' ', 2) AS verb FROM information_schema.PROCESSLIST
    WHERE DB = ? AND STATE = 'Waiting for table metadata lock' AND INFO LIKE '%rowlock\\_%' AND TIME >= ?
      AND INFO REGEXP '^(ALTER|CREATE|DROP|LOCK|OPTIMIZE|RENAME|TRUNCATE) '`,
};

/** Looks for a statement that waits for claims, as an ALTER of the job table does, and for a session that has locked a table. */
export async function metadataLocks(
  on: MysqlTransaction,
  here: Pick<Context, 'schema' | 'product'>,
  longS = LONG_S,
): Promise<readonly Fault[]> {
  const rows = await query<Locking>(on, LOCKING[await here.product(on)], [here.schema, longS]);
  return rows.map(({ session, seconds, holds, verb }) => ({
    severity: 'broken',
    ...(Number(holds) === 1
      ? {
          what: `The session ${session} has locked a table of Rowlock, for ${Number(seconds)} s at least.`,
          why: 'All enqueues and claims wait until it unlocks the table.',
          remedy: `End it: KILL ${session}. ${AGAIN}`,
        }
      : {
          what: `The ${verb} of the session ${session} has waited for ${Number(seconds)} s for a table of Rowlock.`,
          why: 'It waits until no handler holds a claim, and all enqueues and claims wait behind it.',
          remedy: `End it: KILL ${session}. Pause the work before it is run again, and give it a lock_wait_timeout of a few seconds. ${AGAIN}`,
        }),
  }));
}
