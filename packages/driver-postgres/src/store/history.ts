import type { State } from '@rowlock/core';
import { HIGHEST_ID, type HistoryEntry, NO_ID, type Stretch } from '@rowlock/core/driver';
import { type PostgresTransaction, query } from '../query.js';
import type { Statements } from '../statements.js';

interface HistoryRow {
  id: bigint;
  queue: string;
  status: State;
  created_ms: number;
  settled_ms: number | null;
}

/** The next jobs in the order of their ids. @throws DriverError */
export async function history(
  on: PostgresTransaction,
  sql: Statements,
  { beyond, newestFirst, limit }: Stretch,
): Promise<readonly HistoryEntry[]> {
  const [text, from] = newestFirst ? [sql.historyBack, beyond ?? HIGHEST_ID] : [sql.history, beyond ?? NO_ID];
  const rows = await query<HistoryRow>(on, text, [from, limit]);
  return rows.map(({ id, queue, status, created_ms: createdMs, settled_ms: settledMs }) => ({
    id,
    queue,
    status,
    createdMs,
    settledMs,
  }));
}
