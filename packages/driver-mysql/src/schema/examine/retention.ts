import type { Fault } from '@rowlock/core/driver';
import { type MysqlTransaction, query } from '../../query.js';
import type { Tables } from '../tables.js';

/** From so many rows on. */
const MANY = 5_000_000;

/** The server's estimate, and whether a worker of the last day has a retention. */
const ROWS = (worker: string): string => `
  SELECT TABLE_ROWS AS found, EXISTS (SELECT 1 FROM ${worker} WHERE prunes_until > UTC_TIMESTAMP(6) - INTERVAL 1 DAY) AS pruned
  FROM information_schema.TABLES WHERE TABLE_SCHEMA = ? AND TABLE_NAME = 'rowlock_job'`;

/** Whether a long history grows for ever. */
export async function retention(
  on: MysqlTransaction,
  schema: string,
  { worker }: Tables,
  many = MANY,
): Promise<readonly Fault[]> {
  const [row] = await query<{ found: number | string; pruned: number | string }>(on, ROWS(worker), [schema]);
  if (row === undefined || Number(row.pruned) === 1 || Number(row.found) < many) return [];
  return [
    {
      severity: 'warning',
      what: `There are about ${Number(row.found).toLocaleString('en-US')} jobs, and no worker deletes old ones.`,
      why: 'The history grows for ever: backups and filters take longer and longer.',
      remedy:
        "Give createRowlock a retention: { complete: '7d', error: '90d' }. Or run `rowlock prune` from time to time.",
    },
  ];
}
