import type { Receipt, RunStart, RunsStarted } from '@rowlock/core/driver';
import { createdMs, rangeOf } from '@rowlock/sql-drivers';
import { startsOf } from '../jobs/given-rows.js';
import { change, type MysqlTransaction, type Value } from '../query.js';
import type { Statements } from '../statements.js';
import { endCrashed } from './crashed-runs.js';
import { findEarlierRuns, NONE_EARLIER } from './earlier-runs.js';

/** An INSERT, and the number of its rows. */
interface Insert {
  readonly sql: string;
  readonly values: readonly Value[];
  readonly rows: number;
}

/**
 * Writes that runs begin. The runs of one job each share a statement, and a run of several jobs has a row of its own.
 *
 * @param on Commits each statement by itself: a record that is visible is also durable.
 */
export function startRuns(
  on: MysqlTransaction,
  sql: Statements,
  runs: readonly RunStart[],
  crashed: readonly string[],
): Receipt<RunsStarted> {
  const visible = write(on, sql, runs, crashed);
  return {
    visible,
    async durable() {
      await visible;
    },
  };
}

async function write(
  on: MysqlTransaction,
  sql: Statements,
  runs: readonly RunStart[],
  crashed: readonly string[],
): Promise<RunsStarted> {
  const jobs = runs.flatMap((run) => run.jobs.map(({ id }) => id));
  if (crashed.length > 0) await endCrashed(on, sql, crashed, jobs);
  if (runs.length === 0 || (await writeFresh(on, sql, runs))) return NONE_EARLIER;
  const found = await findEarlierRuns(on, sql, runs);
  if (found.unfinished.length > 0) return found;
  await Promise.all(knownInserts(sql, runs).map((insert) => run(on, insert)));
  return found;
}

/** Writes all runs in one statement if none of their jobs had an earlier run. @returns whether they are written */
async function writeFresh(
  on: MysqlTransaction,
  sql: Statements,
  runs: readonly RunStart[],
): Promise<boolean> {
  const insert = freshInsert(sql, runs);
  return insert !== undefined && (await run(on, insert)) === insert.rows;
}

/** Undefined when one statement cannot write all or nothing */
function freshInsert(sql: Statements, runs: readonly RunStart[]): Insert | undefined {
  const records = startsOf(runs);
  const [first] = runs;
  if (runs.every(({ jobs }) => jobs.length === 1)) {
    const text = runs.length === 1 ? sql.runs.startOneRun(records.text) : sql.runs.startRuns(records.text);
    return { sql: text, values: records.values, rows: runs.length };
  }
  if (first === undefined || runs.length > 1) return undefined;
  const values = [...openRun(first), ...records.values, ...rangeOf(first.jobs.map(({ id }) => id))];
  return { sql: sql.runs.startTogether(records.text), values, rows: 1 };
}

/** For jobs of which some had earlier runs. */
function knownInserts(sql: Statements, runs: readonly RunStart[]): readonly Insert[] {
  const single = runs.filter(({ jobs }) => jobs.length === 1);
  const several = runs.filter(({ jobs }) => jobs.length > 1);
  const inserts = several.map((each) => ({
    sql: sql.runs.startKnownTogether,
    values: openRun(each),
    rows: 1,
  }));
  if (single.length === 0) return inserts;
  const { text, values } = startsOf(single);
  return [...inserts, { sql: sql.runs.startKnownRuns(text), values, rows: single.length }];
}

/** The values of a row in the table of open runs. */
function openRun({ runId, workerId, jobs }: RunStart): readonly Value[] {
  const ids = jobs.map(({ id }) => id);
  return [runId, workerId, ...rangeOf(ids), `[${ids.join(',')}]`, Math.max(...jobs.map(createdMs))];
}

async function run(on: MysqlTransaction, { sql, values }: Insert): Promise<number> {
  const { rows } = await change(on, sql, values);
  return rows;
}
