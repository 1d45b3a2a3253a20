import { type BegunRun, type BegunRunsQuestion, runsOf } from '@rowlock/core/driver';
import type { Context } from '../context.js';
import { type MysqlTransaction, query } from '../query.js';
import { lastRunOf, type RunRow, recordOf } from './job-runs.js';

interface BegunRow extends RunRow {
  readonly public_id: string;
  readonly kind: string;
  readonly queue: string;
  readonly key: string | null;
}

/** The latest time that the columns hold. */
const NEVER = Date.UTC(9999, 11, 31);

/**
 * The runs that began in a time, newest first. By a statement for each worker, as MariaDB has no lateral join. Those behind the first read
 * no run that is older than what was found.
 *
 * @throws DriverError
 */
export async function begunRuns(
  on: MysqlTransaction,
  { sql, lockPrefix }: Context,
  { from, before, limit }: BegunRunsQuestion,
): Promise<readonly BegunRun[]> {
  const workers = await query<{ id: string }>(on, sql.recordedWorkers);
  let found: readonly BegunRun[] = [];
  for (const { id } of workers) {
    const since = (found.length < limit ? undefined : found.at(-1))?.startedAt ?? from;
    const range = [id, since.getTime(), before?.getTime() ?? NEVER, limit];
    const rows = await query<BegunRow>(on, sql.begunRuns, [lockPrefix, ...range, ...range, id]);
    found = [...found, ...rows.flatMap(runOf)]
      .sort((one, other) => other.startedAt.getTime() - one.startedAt.getTime())
      .slice(0, limit);
  }
  return found;
}

function runOf(row: BegunRow): readonly BegunRun[] {
  const { public_id: publicId, kind, queue, key } = row;
  // A job that another run has completed has that run behind this one.
  const [run] = runsOf(lastRunOf(row), recordOf(row));
  return run === undefined ? [] : [{ ...run, publicId, kind, queue, key }];
}
