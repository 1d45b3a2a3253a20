import type { Fault } from '@rowlock/core/driver';
import { type MysqlTransaction, query } from '../../query.js';

/** From so long on, in seconds. */
const LONG_S = 600;

/** The times of this table are in the server's own zone. Needs the right PROCESS. */
const OLDEST = `
  SELECT * FROM (
    SELECT trx_mysql_thread_id AS session, TIMESTAMPDIFF(SECOND, CONVERT_TZ(trx_started, 'SYSTEM', '+00:00'), UTC_TIMESTAMP()) AS seconds
    FROM information_schema.INNODB_TRX WHERE trx_mysql_thread_id <> CONNECTION_ID()
  ) AS open WHERE seconds >= ? ORDER BY seconds DESC LIMIT 1`;

/** The same from the server's instruments. Their times are in picoseconds. */
const OLDEST_OBSERVED = `
  SELECT session.processlist_id AS session, observed.timer_wait / 1e12 AS seconds
  FROM performance_schema.events_transactions_current AS observed
  JOIN performance_schema.threads AS session ON session.thread_id = observed.thread_id
  WHERE observed.state = 'ACTIVE' AND session.processlist_id <> CONNECTION_ID() AND observed.timer_wait >= ? * 1e12
  ORDER BY observed.timer_wait DESC LIMIT 1`;

/** Whether these instruments are on, as they are by default. */
const IS_OBSERVED = `
  SELECT 1 FROM performance_schema.setup_instruments
  WHERE name = 'transaction' AND enabled = 'YES' AND timed = 'YES' AND 3 = (
    SELECT COUNT(*) FROM performance_schema.setup_consumers
    WHERE name IN ('global_instrumentation', 'thread_instrumentation', 'events_transactions_current') AND enabled = 'YES'
  )`;

interface Open {
  readonly session: number | string;
  readonly seconds: number | string;
}

/**
 * ER_CANNOT_CONVERT_STRING. The table shows the statement that a transaction runs, in utf8mb3. While a statement with an
 * emoji runs, MySQL refuses the whole table.
 */
const NOT_SHOWN = 3854;

/** Looks for a transaction that has been open for long. */
export async function oldTransactions(on: MysqlTransaction, longS = LONG_S): Promise<readonly Fault[]> {
  const [row] = await oldest(on, longS);
  if (row === undefined) return [];
  return [
    {
      severity: 'warning',
      what: `A transaction has been open for ${Math.round(Number(row.seconds) / 60)} min: that of the session ${row.session}.`,
      why: 'The server keeps all old versions of rows since then, and its locks with it.',
      remedy: `End it: KILL ${row.session}. Long handlers take claim: lease.`,
    },
  ];
}

async function oldest(on: MysqlTransaction, longS: number): Promise<readonly Open[]> {
  try {
    return await query<Open>(on, OLDEST, [longS]);
  } catch (error) {
    if (Object(Object(error).cause).errno !== NOT_SHOWN) throw error;
    if ((await query(on, IS_OBSERVED)).length === 0) throw error;
    return query<Open>(on, OLDEST_OBSERVED, [longS]);
  }
}

/** From so many old versions on. */
const MANY = 1_000_000;

const LENGTH =
  "SELECT `COUNT` AS length FROM information_schema.INNODB_METRICS WHERE NAME = 'trx_rseg_history_len'";

/** Looks at how many old versions of rows the server has not purged. */
export async function history(on: MysqlTransaction, many = MANY): Promise<readonly Fault[]> {
  const [row] = await query<{ length: number | string }>(on, LENGTH);
  const length = Number(row?.length ?? 0);
  if (length < many) return [];
  return [
    {
      severity: 'warning',
      what: `The server's history list has ${length.toLocaleString('en-US')} entries.`,
      why: 'Claims and surveys walk over old versions of rows.',
      remedy:
        'Look for an old transaction, and for purge threads that do not keep up (innodb_purge_threads).',
    },
  ];
}
