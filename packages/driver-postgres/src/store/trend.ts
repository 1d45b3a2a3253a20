import type { Tallies, TallyStep, TrendQuestion } from '@rowlock/core/driver';
import { answers, type Queryable } from '../query.js';
import type { Statements } from '../statements.js';

interface TrendRow {
  readonly now: number;
  readonly steps: readonly (Omit<TallyStep, 'at'> & { readonly at: number })[] | null;
}

/** The sums of each step. @throws DriverError */
export async function tallies(
  on: Queryable,
  sql: Statements,
  { minutes, step, queue }: TrendQuestion,
): Promise<Tallies> {
  const [row] = await answers<TrendRow>(on, sql.tallies, [String(minutes), String(step), queue]);
  return {
    now: new Date(row?.now ?? 0),
    steps: (row?.steps ?? []).map(({ at, ...counts }) => ({ ...counts, at: new Date(at) })),
  };
}
