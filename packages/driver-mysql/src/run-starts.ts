import type { JobId, RunRef, RunStart, RunStarted } from '@rowlock/core';
import { type GivenRows, recordsOf } from './given.js';
import { rangeOf } from './job-ids.js';
import { idsOf, outstanding, startTogether, writeOut } from './open-runs.js';
import { change, type MysqlTransaction, query } from './query.js';
import type { Statements } from './statements.js';

/** What is known of a job's runs; without an id, an open run that may have some of the jobs. */
interface Known {
  readonly id: string | null;
  readonly earlier_runs: string;
  readonly crashes: string;
  readonly unfinished: string;
  readonly process_id: string;
  readonly job_ids: string;
}

/** Writes that runs begin: those of one job each together, others in a row of their own. What has crashed is ended behind it. */
export class RunStarts {
  readonly #on: MysqlTransaction;
  readonly #sql: Statements;

  constructor(on: MysqlTransaction, sql: Statements) {
    this.#on = on;
    this.#sql = sql;
  }

  /** @throws DriverError */
  async write(runs: readonly RunStart[]): Promise<readonly RunStarted[]> {
    const single = runs.filter(({ jobs }) => jobs.length === 1);
    const several = runs.filter(({ jobs }) => jobs.length > 1);
    const told = await Promise.all([
      ...(single.length > 0 ? [this.#ofOne(single)] : []),
      ...several.map((run) => this.#begin([run], startTogether(this.#on, this.#sql, run))),
    ]);
    return told.flat();
  }

  #ofOne(runs: readonly RunStart[]): Promise<readonly RunStarted[]> {
    const records = recordsOf(runs);
    return this.#begin(runs, change(this.#on, this.#sql.startRuns(records.text), records.values));
  }

  /** @param written Goes on beside it, as what it adds is left out. */
  async #begin(runs: readonly RunStart[], written: Promise<unknown>): Promise<readonly RunStarted[]> {
    const records = recordsOf(runs);
    const range = rangeOf(runs.flatMap(({ jobs }) => jobs));
    const find = (): Promise<readonly Known[]> =>
      query<Known>(this.#on, this.#sql.findRuns(records.text), [...records.values, ...range]);
    let [known] = await Promise.all([find(), written]);
    const crashed = openOnes(known, runs);
    for (const run of crashed) {
      await writeOut(this.#on, this.#sql, run, (jobs) => outstanding(this.#on, this.#sql, jobs));
    }
    if (crashed.length > 0) known = await find();
    await this.#endCrashed(known, records);
    return known.flatMap(started);
  }

  async #endCrashed(known: readonly Known[], { text, values }: GivenRows): Promise<void> {
    if (known.some(({ unfinished }) => Number(unfinished) > 0))
      await change(this.#on, this.#sql.endCrashedRuns(text), values);
  }
}

/** Those that have a job of these runs, which the caller holds: they have crashed. */
function openOnes(known: readonly Known[], runs: readonly RunStart[]): readonly RunRef[] {
  const ids = new Set<JobId>(runs.flatMap(({ jobs }) => jobs));
  const own = new Set(runs.map(({ processId }) => processId));
  return known
    .filter(({ id, process_id }) => id === null && !own.has(process_id))
    .map(({ process_id: processId, job_ids }) => ({ processId, jobs: idsOf(job_ids) }))
    .filter(({ jobs }) => jobs.some((id) => ids.has(id)));
}

function started({ id, earlier_runs, crashes }: Known): readonly RunStarted[] {
  return id === null ? [] : [{ id: BigInt(id), earlierRuns: Number(earlier_runs), crashes: Number(crashes) }];
}
