import type { JobId, RunStart, RunStarted, RunsTold } from '@rowlock/core/driver';
import { rangeOf } from './job-ids.js';
import type { OwnSessions } from './own-sessions.js';
import { plainArray } from './plain-array.js';
import { type PostgresTransaction, query } from './query.js';
import type { Statements } from './statements.js';
import type { WalFlush } from './wal-flush.js';

/** What is known of a job's runs; without an id, of open runs that have some of the jobs. */
interface Known {
  readonly id: JobId | null;
  readonly earlier_runs: bigint;
  readonly crashes: bigint;
  /** By the ids of their runs. */
  readonly unfinished: readonly string[] | null;
}

/** A statement that writes the records of some runs. */
interface Start {
  readonly runs: readonly RunStart[];
  readonly text: string;
  /** How many rows it is given. */
  readonly rows: number;
  readonly ids: readonly JobId[];
  readonly run: readonly unknown[];
}

/** Writes that runs begin: those of one job each together, others in a row of their own. What has crashed is ended before. */
export class RunStarts {
  readonly #on: PostgresTransaction;
  readonly #sql: Statements;
  readonly #own: OwnSessions;
  readonly #flush: WalFlush;

  /** @param on Where each statement is committed by itself. */
  constructor(on: PostgresTransaction, sql: Statements, own: OwnSessions, flush: WalFlush) {
    this.#on = on;
    this.#sql = sql;
    this.#own = own;
    this.#flush = flush;
  }

  /** @throws DriverError */
  async write(runs: readonly RunStart[], told?: RunsTold): Promise<readonly RunStarted[]> {
    const single = runs.filter(({ jobs }) => jobs.length === 1);
    const starts = runs.filter(({ jobs }) => jobs.length > 1).map((run) => this.#together(run));
    if (single.length > 0) starts.push(this.#ofOne(single));
    const earlier = (await Promise.all(starts.map((start) => this.#begin(start)))).flat();
    told?.written(earlier);
    told?.seen();
    if ((await told?.due) ?? true) await this.#flush.flush();
    return earlier;
  }

  #ofOne(runs: readonly RunStart[]): Start {
    const ids = runs.flatMap(({ jobs }) => jobs);
    const runIds = plainArray(runs.map(({ runId }) => runId));
    const workerIds = plainArray(runs.map(({ workerId }) => workerId));
    return { runs, text: this.#sql.startRuns, rows: runs.length, ids, run: [runIds, workerIds] };
  }

  /** One plan does for any number of jobs. */
  #together(run: RunStart): Start {
    const { runId, workerId, jobs } = run;
    return {
      runs: [run],
      text: this.#sql.startTogether,
      rows: 1,
      ids: jobs,
      run: [runId, workerId],
    };
  }

  async #begin({ runs, text, rows, ids, run }: Start): Promise<readonly RunStarted[]> {
    const jobs = [plainArray(ids), ...rangeOf(ids)];
    for (;;) {
      const known = await query<Known>(this.#on, text, [...run, ...jobs], this.#own.nameOf(text, rows));
      const unfinished = known.flatMap((each) => each.unfinished ?? []);
      if (unfinished.length === 0) return known.flatMap(started);
      // Found first and then confirmed: what a claim that stands has found was there before it.
      await Promise.all(runs.map(({ confirm }) => confirm?.()));
      const crashed = plainArray(unfinished);
      await query(this.#on, this.#sql.writeOut, [...jobs, crashed]);
      await query(this.#on, this.#sql.endCrashed, [jobs[0], crashed]);
    }
  }
}

function started({ id, earlier_runs, crashes }: Known): readonly RunStarted[] {
  return id === null ? [] : [{ id, earlierRuns: Number(earlier_runs), crashes: Number(crashes) }];
}
