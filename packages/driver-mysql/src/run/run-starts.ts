import type { JobId, RunRef, RunStart, RunStarted, RunsTold } from '@rowlock/core/driver';
import type { AheadOfCommit } from '../ahead-of-commit.js';
import { recordsOf } from '../statements/given-rows.js';
import { rangeOf } from '../statements/job-ids.js';
import { idsOf, notCompleted, writeOut } from './open-runs.js';
import { change, list, type MysqlTransaction, query, type Value } from '../statements/query.js';
import type { Statements } from '../statements/statements.js';

/** What is known of a job's runs; without an id, an open run that may have some of the jobs. */
interface Known {
  readonly id: string | null;
  readonly earlier_runs: string;
  readonly crashes: string;
  /** The ids of its runs that are not finished, and a null for each of the others: a list in JSON. */
  readonly unfinished: string;
  readonly process_id: string;
  readonly job_ids: string;
}

/** A write of some runs. */
interface Start {
  readonly runs: readonly RunStart[];
  /** If nothing is known of their jobs. How many rows are to be written, or none are. */
  readonly fresh: { readonly sql: string; readonly values: readonly Value[]; readonly rows: number };
  /** Whatever is known. */
  readonly known: () => Promise<unknown>;
}

/** Writes that runs begin: those of one job each together, others in a row of their own. What has crashed is ended before. */
export class RunStarts {
  readonly #on: MysqlTransaction;
  readonly #sql: Statements;
  readonly #ahead: AheadOfCommit;

  /**
   * @param on Where each statement is committed by itself.
   * @param ahead The same where the answer is told ahead of the commit.
   */
  constructor(on: MysqlTransaction, sql: Statements, ahead: AheadOfCommit) {
    this.#on = on;
    this.#sql = sql;
    this.#ahead = ahead;
  }

  /** @throws DriverError */
  async write(runs: readonly RunStart[], told?: RunsTold): Promise<readonly RunStarted[]> {
    const single = runs.filter(({ jobs }) => jobs.length === 1);
    const several = runs.filter(({ jobs }) => jobs.length > 1);
    const starts = several.map((run) => this.#begin(this.#together(run)));
    // Those of several jobs wait for the commit, and so does who writes both.
    if (single.length > 0)
      starts.push(this.#begin(this.#ofOne(single), several.length === 0 ? told : undefined));
    return (await Promise.all(starts)).flat();
  }

  #ofOne(runs: readonly RunStart[]): Start {
    const { text, values } = recordsOf(runs);
    return {
      runs,
      fresh: { sql: this.#sql.startRuns(text), values, rows: runs.length },
      known: () => this.#change(this.#sql.startKnownRuns(text), values),
    };
  }

  #together(run: RunStart): Start {
    const { runId, workerId, jobs } = run;
    const { text, values } = recordsOf([run]);
    const range = rangeOf(jobs);
    const row = [runId, workerId, ...range, `[${jobs.join(',')}]`];
    return {
      runs: [run],
      fresh: { sql: this.#sql.startTogether(text), values: [...row, ...values, ...range], rows: 1 },
      known: () => this.#change(this.#sql.startKnownTogether, row),
    };
  }

  async #begin({ runs, fresh, known }: Start, told?: RunsTold): Promise<readonly RunStarted[]> {
    const tell = (rows: number): void => {
      if (rows === fresh.rows) told?.written([]);
    };
    const on = told ? this.#ahead.telling(tell) : this.#on;
    if ((await change(on, fresh.sql, fresh.values)).rows === fresh.rows) return [];
    let found = await this.#find(runs);
    const open = openOnes(found, runs);
    const crashed = [...open.map(({ runId }) => runId), ...unfinishedOnes(found)];
    if (crashed.length > 0) {
      // Found first and then confirmed: what a claim that stands has found was there before it.
      await Promise.all(runs.map(({ confirm }) => confirm?.()));
      for (const run of open)
        await writeOut(this.#on, this.#sql, run, (jobs) => notCompleted(this.#on, this.#sql, run, jobs));
      if (open.length > 0) found = await this.#find(runs);
      await this.#end(runs, crashed);
    }
    await known();
    return found.flatMap(started);
  }

  async #end(runs: readonly RunStart[], crashed: readonly string[]): Promise<void> {
    const { text, values } = recordsOf(runs);
    const runIds = list(crashed);
    await this.#change(this.#sql.endCrashedRuns(text, runIds.places), [...values, ...runIds.values]);
  }

  #find(runs: readonly RunStart[]): Promise<readonly Known[]> {
    const { text, values } = recordsOf(runs);
    const range = rangeOf(runs.flatMap(({ jobs }) => jobs));
    return query<Known>(this.#on, this.#sql.findRuns(text), [...values, ...range]);
  }

  async #change(sql: string, values: readonly Value[]): Promise<number> {
    const { rows } = await change(this.#on, sql, values);
    return rows;
  }
}

/** Those that have a job of these runs, which the caller holds: they have crashed. */
function openOnes(known: readonly Known[], runs: readonly RunStart[]): readonly RunRef[] {
  const ids = new Set<JobId>(runs.flatMap(({ jobs }) => jobs));
  return known
    .filter(({ id }) => id === null)
    .map(({ process_id: runId, job_ids }) => ({ runId, jobs: idsOf(job_ids) }))
    .filter(({ jobs }) => jobs.some((id) => ids.has(id)));
}

/** The ids of runs of one job each, as far as they are on record, that are not finished. */
function unfinishedOnes(known: readonly Known[]): readonly string[] {
  return known.flatMap(({ unfinished }) => {
    const ids: readonly (string | null)[] = JSON.parse(unfinished);
    return ids.filter((id) => id !== null);
  });
}

function started({ id, earlier_runs, crashes }: Known): readonly RunStarted[] {
  return id === null ? [] : [{ id: BigInt(id), earlierRuns: Number(earlier_runs), crashes: Number(crashes) }];
}
