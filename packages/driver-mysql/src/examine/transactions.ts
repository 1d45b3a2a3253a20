import { setTimeout as sleep } from 'node:timers/promises';
import type { Fault } from '@rowlock/core/driver';
import { type MysqlTransaction, query } from '../query.js';

/** From so long on, in seconds. */
const LONG_S = 600;

/** The times of this table are in the server's own zone. Needs the right PROCESS. */
const OLDEST = `
  SELECT * FROM (
    SELECT trx_mysql_thread_id AS session, TIMESTAMPDIFF(SECOND, CONVERT_TZ(trx_started, 'SYSTEM', '+00:00'), UTC_TIMESTAMP()) AS seconds
    FROM information_schema.INNODB_TRX WHERE trx_mysql_thread_id <> CONNECTION_ID()
  ) AS open WHERE seconds >= ? ORDER BY seconds DESC LIMIT 1`;

interface Open {
  readonly session: number | string;
  readonly seconds: number | string;
}

/**
 * ER_CANNOT_CONVERT_STRING. The table shows the statement that a transaction runs, in utf8mb3. While a statement with an
 * emoji runs, MySQL refuses the whole table.
 */
const NOT_SHOWN = 3854;

/** How often the table is read, and the pause before each further try, in milliseconds. Most statements end within a few. */
const TRIES = 10;
const PAUSE_MS = 50;

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
  for (let tries = 1; ; tries++) {
    try {
      return await query<Open>(on, OLDEST, [longS]);
    } catch (error) {
      if (tries === TRIES || Object(Object(error).cause).errno !== NOT_SHOWN) throw error;
      await sleep(PAUSE_MS);
    }
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
