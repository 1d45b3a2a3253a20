import type { JobId, Receipt, RunStart, RunsStarted } from '@rowlock/core/driver';
import { createdMs, rangeOf } from '@rowlock/sql-drivers';
import type { NamedStatements } from '../connection/named-statements.js';
import { type PostgresTransaction, query } from '../query.js';
import type { Statements } from '../statements.js';
import { plainArray } from '../values/plain-array.js';
import { endCrashed } from './crashed-runs.js';
import type { WalFlush } from './wal-flush.js';

/** The known runs of a job. A row without an id is for the open runs that have some of the jobs. */
interface Known {
  readonly id: JobId | null;
  readonly earlier_runs: bigint;
  readonly crashes: bigint;
  /** The ids of the unfinished runs. */
  readonly unfinished: readonly string[] | null;
}

/** Writes that runs begin. Each statement is committed by itself, and is visible before it is durable. */
export class RunStarts {
  readonly #on: PostgresTransaction;
  readonly #sql: Statements;
  readonly #names: NamedStatements;
  readonly #flush: WalFlush;

  constructor(on: PostgresTransaction, sql: Statements, names: NamedStatements, flush: WalFlush) {
    this.#on = on;
    this.#sql = sql;
    this.#names = names;
    this.#flush = flush;
  }

  start(runs: readonly RunStart[], crashed: readonly string[]): Receipt<RunsStarted> {
    const visible = this.#write(runs, crashed);
    return { visible, durable: () => visible.then(() => this.#flush.flush()) };
  }

  async #write(runs: readonly RunStart[], crashed: readonly string[]): Promise<RunsStarted> {
    const jobs = runs.flatMap((run) => run.jobs);
    const [ids, created] = [jobs.map(({ id }) => id), jobs.map(createdMs)];
    if (crashed.length > 0) await endCrashed(this.#on, this.#sql, crashed, ids);
    const [text, run, newest] = this.#statementOf(runs, created);
    const values = [...run, plainArray(ids), ...rangeOf(ids), plainArray(created), ...newest];
    const known = await query<Known>(this.#on, text, values, this.#names.nameOf(text, runs.length));
    return {
      earlier: known.flatMap(({ id, earlier_runs: earlierRuns, crashes }) =>
        id === null ? [] : [{ id, earlierRuns: Number(earlierRuns), crashes: Number(crashes) }],
      ),
      unfinished: [...new Set(known.flatMap(({ unfinished }) => unfinished ?? []))],
    };
  }

  /** One plan fits a run of any number of jobs. */
  #statementOf(
    runs: readonly RunStart[],
    created: readonly number[],
  ): readonly [text: string, run: readonly unknown[], newest: readonly number[]] {
    const [first] = runs;
    if (first !== undefined && first.jobs.length > 1)
      return [this.#sql.runs.startTogether, [first.runId, first.workerId], [Math.max(...created)]];
    const runIds = plainArray(runs.map(({ runId }) => runId));
    return [this.#sql.runs.startRuns, [runIds, plainArray(runs.map(({ workerId }) => workerId))], []];
  }
}
