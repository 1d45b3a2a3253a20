import type { Fault } from '@rowlock/core/driver';
import { type PostgresTransaction, query } from '../../query.js';

/** From so many transactions on. The server vacuums by itself from 200 million on, and refuses writes at 2,144 million. */
const OLD = 1_200_000_000;

const AGES = `
  SELECT 'transactions' AS of, age(datfrozenxid)::bigint AS age FROM pg_database WHERE datname = current_database()
  UNION ALL
  SELECT 'multixacts', mxid_age(datminmxid) FROM pg_database WHERE datname = current_database()`;

/** Whether the numbers of transactions, or of shared row locks, are running out. */
export async function wraparound(on: PostgresTransaction, old = OLD): Promise<readonly Fault[]> {
  const rows = await query<{ of: string; age: bigint }>(on, AGES);
  return rows
    .filter(({ age }) => age >= old)
    .map(({ of, age }) => ({
      severity: 'warning',
      what: `The oldest rows of this database are ${age.toLocaleString('en-US')} ${of} old.`,
      why: 'At some 2,100,000,000 the server refuses each write, so that no job is enqueued or settled.',
      remedy: 'Look for an old transaction or replication slot, and then VACUUM the database.',
    }));
}
