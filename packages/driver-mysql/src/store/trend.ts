import type { Tallies, TrendQuestion } from '@rowlock/core/driver';
import { type MysqlTransaction, query } from '../query.js';
import type { Statements } from '../statements.js';

interface StepRow {
  readonly at: string;
  readonly completed: string;
  readonly failed: string;
  readonly cancelled: string;
  readonly retried: string;
  readonly waits: string;
}

/** The sums of each step. @throws DriverError */
export async function tallies(
  on: MysqlTransaction,
  sql: Statements,
  { minutes, step, queue }: TrendQuestion,
): Promise<Tallies> {
  const rows = await query<StepRow>(on, sql.tallies, [step, step, minutes, queue, queue]);
  const [clock] = await query<{ now: string }>(on, sql.now);
  return {
    now: new Date(Number(clock?.now)),
    steps: rows.map(({ at, completed, failed, cancelled, retried, waits }) => ({
      at: new Date(Number(at)),
      completed: Number(completed),
      failed: Number(failed),
      cancelled: Number(cancelled),
      retried: Number(retried),
      waits: JSON.parse(waits),
    })),
  };
}
