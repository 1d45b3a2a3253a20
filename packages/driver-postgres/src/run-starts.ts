import type { JobId, RunStart, RunStarted } from '@rowlock/core';
import { rangeOf } from './job-ids.js';
import type { OwnSessions } from './own-sessions.js';
import { plainArray } from './plain-array.js';
import { type PostgresTransaction, query } from './query.js';
import type { Statements } from './statements.js';

/** What is known of a job's runs; without an id, of open runs that have some of the jobs. */
interface Known {
  readonly id: JobId | null;
  readonly earlier_runs: bigint;
  readonly crashes: bigint;
  readonly unfinished: bigint;
}

/** Writes that runs begin: those of one job each together, others in a row of their own. What has crashed is ended before. */
export class RunStarts {
  readonly #on: PostgresTransaction;
  readonly #sql: Statements;
  readonly #own: OwnSessions;

  constructor(on: PostgresTransaction, sql: Statements, own: OwnSessions) {
    this.#on = on;
    this.#sql = sql;
    this.#own = own;
  }

  /** @throws DriverError */
  async write(runs: readonly RunStart[]): Promise<readonly RunStarted[]> {
    const single = runs.filter(({ jobs }) => jobs.length === 1);
    const several = runs.filter(({ jobs }) => jobs.length > 1);
    const told = await Promise.all([
      ...(single.length > 0 ? [this.#ofOne(single)] : []),
      ...several.map((run) => this.#together(run)),
    ]);
    return told.flat();
  }

  #ofOne(runs: readonly RunStart[]): Promise<readonly RunStarted[]> {
    const ids = runs.flatMap(({ jobs }) => jobs);
    const processIds = plainArray(runs.map(({ processId }) => processId));
    const workerIds = plainArray(runs.map(({ workerId }) => workerId));
    return this.#begin(this.#sql.startRuns, runs.length, ids, [processIds, workerIds]);
  }

  /** One plan does for any number of jobs. */
  #together({ processId, workerId, jobs }: RunStart): Promise<readonly RunStarted[]> {
    return this.#begin(this.#sql.startTogether, 1, jobs, [processId, workerId]);
  }

  async #begin(
    text: string,
    rows: number,
    ids: readonly JobId[],
    run: readonly unknown[],
  ): Promise<readonly RunStarted[]> {
    const jobs = [plainArray(ids), ...rangeOf(ids)];
    for (;;) {
      const known = await query<Known>(this.#on, text, [...run, ...jobs], this.#own.nameOf(text, rows));
      if (known.every(({ unfinished }) => unfinished === 0n)) return known.flatMap(started);
      await query(this.#on, this.#sql.writeOut, jobs);
      await query(this.#on, this.#sql.endCrashed, jobs.slice(0, 1));
    }
  }
}

function started({ id, earlier_runs, crashes }: Known): readonly RunStarted[] {
  return id === null ? [] : [{ id, earlierRuns: Number(earlier_runs), crashes: Number(crashes) }];
}
