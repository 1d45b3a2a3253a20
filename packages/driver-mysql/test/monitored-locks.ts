import type { Pool } from 'mysql2/promise';
import type { RecordLock } from './record-lock.js';

/**
 * The record locks on a table as InnoDB's monitor tells them, or `undefined` where it has not told of all of them. It is always up
 * to date, and MariaDB's information_schema.innodb_locks need not be.
 */
export async function monitoredLocks(
  pool: Pool,
  schema: string,
  table: string,
): Promise<readonly RecordLock[] | undefined> {
  await pool.query('SET GLOBAL innodb_status_output_locks = ON');
  const [rows] = await pool.query<never>('SHOW ENGINE INNODB STATUS');
  const [{ Status: text } = { Status: '' }] = rows as { Status: string }[];
  if (text.includes(LEFT_OUT)) return undefined;
  const locks: RecordLock[] = [];
  for (const part of text.split(/^(?=RECORD LOCKS )/m)) {
    const [, index, database, name, how, waiting] = HEAD.exec(part) ?? [];
    if (index === undefined || how === undefined || database !== schema || name !== table) continue;
    const mode = how
      .replace(' locks rec but not gap', ',REC_NOT_GAP')
      .replace(' locks gap before rec', ',GAP');
    for (const [, hex] of part.matchAll(RECORD)) {
      // The monitor does not wait for a page that is being written: it says that a record is locked, and not which.
      if (hex === undefined) return undefined;
      locks.push({ index, mode, key: signed(hex).toString(), isWaiting: waiting !== undefined });
    }
  }
  return locks;
}

/** In the place of what the monitor leaves out beyond a megabyte: transactions, whosever they are. */
const LEFT_OUT = '... truncated...';

const HEAD =
  /^RECORD LOCKS .* index `?(\w+)`? of table `(\w+)`\.`(\w+)` trx id \d+ lock_?mode (.*?)( waiting)?$/m;

const RECORD = /^Record lock, .*\n(?: 0: len \d+; hex ([0-9a-f]+);)?/gm;

/** InnoDB turns the sign around, so that the bytes have the order of the numbers. */
function signed(hex: string): bigint {
  return BigInt(`0x${hex}`) - (1n << BigInt(hex.length * 4 - 1));
}
