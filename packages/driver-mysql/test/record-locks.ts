import { setTimeout as sleep } from 'node:timers/promises';
import type { Pool } from 'mysql2/promise';

/** A lock on a record of an index. */
export interface RecordLock {
  readonly index: string;
  /** In InnoDB's words. */
  readonly mode: string;
  /** The first column of the record, as a whole number. */
  readonly key: bigint;
}

/**
 * The record locks on a table, those of all transactions together and those that are waited for. From InnoDB's monitor,
 * because MariaDB has no performance_schema.data_locks; it is always up to date, and a table of the monitor need not be.
 */
export async function recordLocks(pool: Pool, schema: string, table: string): Promise<readonly RecordLock[]> {
  const text = await status(pool);
  return text.split(/^(?=RECORD LOCKS )/m).flatMap((part) => {
    const [, index, database, name, mode] = HEAD.exec(part) ?? [];
    if (index === undefined || mode === undefined || database !== schema || name !== table) return [];
    const keys = [...part.matchAll(/^Record lock, .*\n 0: len \d+; hex ([0-9a-f]+);/gm)];
    return keys.map(([, hex]) => ({ index, mode, key: signed(`0x${hex}`) }));
  });
}

/** In the place of what the monitor leaves out beyond a megabyte: transactions, whosever they are. */
const LEFT_OUT = '... truncated...';

/** How long another test may have so many locks on the same server, in milliseconds. */
const WHOLE_MS = 20_000;

async function status(pool: Pool): Promise<string> {
  await pool.query('SET GLOBAL innodb_status_output_locks = ON');
  for (const until = performance.now() + WHOLE_MS; ; ) {
    const [rows] = await pool.query<never>('SHOW ENGINE INNODB STATUS');
    const [{ Status: text } = { Status: '' }] = rows as { Status: string }[];
    if (!text.includes(LEFT_OUT)) return text;
    if (performance.now() > until) throw new Error(`InnoDB's monitor has left locks out for ${WHOLE_MS} ms.`);
    await sleep(50);
  }
}

const HEAD = /^RECORD LOCKS .* index `?(\w+)`? of table `(\w+)`\.`(\w+)` trx id \d+ lock_?mode (.*)$/m;

/** InnoDB turns the sign around, so that the bytes have the order of the numbers. */
function signed(hex: string): bigint {
  return BigInt(hex) - (1n << BigInt(hex.slice(2).length * 4 - 1));
}
