import type { Fault } from '@rowlock/core/driver';
import { type PostgresTransaction, query } from '../../query.js';
import type { Tables } from '../tables.js';

/** From so many rows on. */
const MANY = 5_000_000;

/** The server's estimate, and whether a worker of the last day has a retention. */
const ROWS = (worker: string): string => `
  SELECT reltuples::bigint AS rows, EXISTS (SELECT FROM ${worker} WHERE prunes_until > now() - interval '1 day') AS pruned
  FROM pg_class WHERE oid = to_regclass($1)`;

/** Whether a long history grows for ever. */
export async function retention(on: PostgresTransaction, { job, worker }: Tables): Promise<readonly Fault[]> {
  const [row] = await query<{ rows: bigint; pruned: boolean }>(on, ROWS(worker), [job]);
  if (row === undefined || row.pruned || row.rows < MANY) return [];
  return [
    {
      severity: 'warning',
      what: `There are about ${row.rows.toLocaleString('en-US')} jobs, and no worker deletes old ones.`,
      why: 'The history grows for ever: backups, vacuum and filters take longer and longer.',
      remedy:
        "Give createRowlock a retention: { complete: '7d', error: '90d' }. Or run `rowlock prune` from time to time.",
    },
  ];
}
