import { setTimeout as sleep } from 'node:timers/promises';
import type { Pool } from 'mysql2/promise';
import { monitoredLocks } from './monitored-locks.js';
import type { RecordLock } from './record-lock.js';
import { product } from './server.js';

/** How long a page may be written, or other tests have very many locks on the same server, in milliseconds. */
const WHOLE_MS = 20_000;

/** The record locks on a table, those of all transactions together and those that are waited for. */
export async function recordLocks(pool: Pool, schema: string, table: string): Promise<readonly RecordLock[]> {
  const look = product === 'mariadb' ? monitoredLocks : dataLocks;
  for (const until = performance.now() + WHOLE_MS; ; ) {
    const locks = await look(pool, schema, table);
    if (locks !== undefined) return locks;
    if (performance.now() > until) throw new Error(`The server has left out locks for ${WHOLE_MS} ms.`);
    await sleep(50);
  }
}

/**
 * Not from InnoDB's monitor, which is all that MariaDB has: MySQL's loses locks of transactions that go on while others end,
 * because it begins anew at a place in their list after it has read a page.
 */
async function dataLocks(
  pool: Pool,
  schema: string,
  table: string,
): Promise<readonly RecordLock[] | undefined> {
  const [rows] = await pool.query<never>(
    `SELECT index_name AS name, lock_mode AS mode, lock_status AS status, lock_data AS data
     FROM performance_schema.data_locks
     WHERE object_schema = ? AND object_name = ? AND lock_type = 'RECORD'`,
    [schema, table],
  );
  const locks: RecordLock[] = [];
  for (const { name, mode, status, data } of rows as DataLock[]) {
    // The page was being written: the server does not wait to see which record it is.
    if (data === null) return undefined;
    locks.push({ index: name, mode, key: data.split(',', 1).join(), isWaiting: status === 'WAITING' });
  }
  return locks;
}

interface DataLock {
  readonly name: string;
  readonly mode: string;
  readonly status: string;
  readonly data: string | null;
}
