import { type BegunRun, type BegunRunsQuestion, runsOf } from '@rowlock/core/driver';
import type { Context } from '../context.js';
import { answers, type Queryable } from '../query.js';
import { lastRunOf, type RunRow, recordOf } from './job-runs.js';

interface BegunRow extends RunRow {
  readonly public_id: string;
  readonly kind: string;
  readonly queue: string;
  readonly key: string | null;
}

/** The runs that began in a time, newest first. @throws DriverError */
export async function begunRuns(
  on: Queryable,
  { sql, lockClass }: Context,
  { from, before, limit }: BegunRunsQuestion,
): Promise<readonly BegunRun[]> {
  const values = [
    String(lockClass.unsigned),
    String(from.getTime()),
    before === null ? null : String(before.getTime()),
    String(limit),
  ];
  const rows = await answers<BegunRow>(on, sql.begunRuns, values);
  return rows.flatMap((row) => {
    const { public_id: publicId, kind, queue, key } = row;
    // A job that another run has completed has that run behind this one.
    const [run] = runsOf(lastRunOf(row), recordOf(row));
    return run === undefined ? [] : [{ ...run, publicId, kind, queue, key }];
  });
}
