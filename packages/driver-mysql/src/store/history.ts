import type { State } from '@rowlock/core';
import { HIGHEST_ID, type HistoryEntry, NO_ID, type Stretch } from '@rowlock/core/driver';
import { type MysqlTransaction, query } from '../query.js';
import type { Statements } from '../statements.js';

interface HistoryRow {
  readonly id: string;
  readonly queue: string;
  readonly status: State;
  readonly created_ms: string;
  readonly settled_ms: string | null;
}

/** The next jobs in the order of their ids. @throws DriverError */
export async function history(
  on: MysqlTransaction,
  sql: Statements,
  { beyond, newestFirst, limit }: Stretch,
): Promise<readonly HistoryEntry[]> {
  const [text, from] = newestFirst ? [sql.historyBack, beyond ?? HIGHEST_ID] : [sql.history, beyond ?? NO_ID];
  const rows = await query<HistoryRow>(on, text, [from, limit]);
  return rows.map(({ id, queue, status, created_ms, settled_ms }) => ({
    id: BigInt(id),
    queue,
    status,
    createdMs: Number(created_ms),
    settledMs: settled_ms === null ? null : Number(settled_ms),
  }));
}
