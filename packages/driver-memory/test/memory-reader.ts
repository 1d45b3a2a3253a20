import { randomUUID } from 'node:crypto';
import type { JobChange, Reader, JobRow as SuiteJob, RunRow as SuiteRun } from '@rowlock/driver-conformance';
import type { Database } from '../src/engine/database.js';
import type { RunRow } from '../src/engine/rows.js';
import { autocommit } from '../src/engine/runner.js';
import type { Transaction } from '../src/engine/transaction.js';
import { checkJob, JOB_DEFAULTS, type JobCandidate, type JobRow } from '../src/jobs/job-row.js';
import { holderOfUniqueKey } from '../src/jobs/unique-key.js';

/** Reads and writes the tables, and nothing of the driver's. */
export function openReader(database: Database, exec: Reader['exec']): Reader {
  const ask = <Result>(work: (tx: Transaction) => Result | Promise<Result>): Promise<Result> =>
    autocommit(database.beginTransaction(), work);

  return {
    job: (publicId) =>
      ask((tx) => {
        const [found] = database.tables.jobs.findBy('publicId', publicId, tx);
        return found && suiteJob(found.value);
      }),

    jobs: (queue) =>
      ask((tx) => database.tables.jobs.findBy('queue', queue, tx).map(({ value }) => suiteJob(value))),

    runs: (publicId) =>
      ask((tx) => {
        const [found] = database.tables.jobs.findBy('publicId', publicId, tx);
        if (found === undefined) return [];
        const { value: job } = found;
        const runs = database.tables.runs
          .findBy('jobId', job.id, tx)
          .map(({ value }) => suiteRun(value, job));
        return [...runs, ...completion(job, runs)];
      }),

    slots: (name) => ask((tx) => database.tables.limitSlots.findBy('name', name, tx).length),

    audit: (operator) =>
      ask((tx) =>
        database.tables.audit
          .find(tx, (row) => row.by === operator)
          .map(({ value: { id, at, by, details, ...entry } }) => ({
            ...entry,
            details: JSON.parse(details),
          })),
      ),

    orphans: () =>
      ask((tx) => {
        const { jobs, runs } = database.tables;
        return runs.find(tx, ({ jobId }) => jobs.findBy('id', jobId, tx).length === 0).length;
      }),

    rate: (name) =>
      ask((tx) => {
        const [found] = database.tables.rates.findBy('name', name, tx);
        return found && { nextMs: found.value.nextUs / 1_000, lastTake: found.value.lastTake };
      }),

    moveRate: (name, byMs) =>
      ask(async (tx) => {
        for (const { row, value } of database.tables.rates.findBy('name', name, tx)) {
          await tx.lock(row);
          tx.write(row, { ...value, nextUs: value.nextUs + byMs * 1_000 });
        }
      }),

    async lockRate(name) {
      const tx = database.beginTransaction();
      await tx.run(async () => {
        for (const { row } of database.tables.rates.findBy('name', name, tx)) await tx.lock(row);
      });
      return () => tx.rollback();
    },

    now: async () => new Date(database.clock.now()),

    insert: ({ queue, kind, payload, key = null }) =>
      ask((tx) => {
        const now = database.clock.now();
        const given = { publicId: randomUUID(), queue, kind, key, payload: JSON.stringify(payload) };
        const times = { availableAt: now, createdAt: now, createdBy: '' };
        const row = database.tables.jobs.insert(tx, (id) =>
          checkJob({ ...JOB_DEFAULTS, ...given, ...times, id }),
        );
        return row.publicId;
      }),

    moveSchedule: (name, nextAt) =>
      ask((tx) => {
        for (const { row, value } of database.tables.schedules.findBy('name', name, tx)) {
          tx.take(row);
          tx.write(row, { ...value, nextAt: nextAt.getTime() });
        }
      }),

    write: (publicId, change) =>
      ask(async (tx) => {
        const { jobs } = database.tables;
        for (const { row, value } of jobs.findBy('publicId', publicId, tx)) {
          const after = checkJob(changed(value, change));
          const there = after.publicId === publicId ? [] : jobs.findBy('publicId', after.publicId, tx);
          if (there.length > 0 || (await holderOfUniqueKey(jobs, tx, after)) !== undefined) {
            throw new Error('The key is taken.');
          }
          await tx.lock(row);
          // Another transaction may have changed it meanwhile.
          const locked = row.seenBy(tx);
          if (locked !== undefined) tx.write(row, checkJob(changed(locked, change)));
        }
      }),

    exec,
  };
}

/** The row with the columns of a hand-written UPDATE, legal or not. */
function changed(row: JobRow, change: JobChange): JobCandidate {
  const { payload, metadata, output, error, availableAt, createdAt, startedAt, finishedAt, ...same } = change;
  const texts = { payload, metadata, output };
  const times = { availableAt, createdAt, startedAt, finishedAt };
  return {
    ...row,
    ...same,
    ...given(texts, (json) => JSON.stringify(json)),
    ...given({ error }, (json) => (json === null ? null : JSON.stringify(json))),
    ...given(times, (at) => (at === null ? null : at.getTime())),
  };
}

/** The columns that a change names, as the table has them. */
function given<Name extends string, Value, Stored>(
  columns: { readonly [Column in Name]: Value | undefined },
  store: (value: Value) => Stored,
): { readonly [Column in Name]?: Stored } {
  const stored: { [Column in Name]?: Stored } = {};
  for (const name in columns) {
    const value = columns[name];
    if (value !== undefined) stored[name] = store(value);
  }
  return stored;
}

function suiteJob({ due: _, uniqueScope: __, leasedUntil: ___, ...row }: JobRow): SuiteJob {
  return {
    ...row,
    payload: JSON.parse(row.payload),
    metadata: JSON.parse(row.metadata),
    output: JSON.parse(row.output),
    error: row.error === null ? null : JSON.parse(row.error),
    availableAt: new Date(row.availableAt),
    createdAt: new Date(row.createdAt),
    startedAt: date(row.startedAt),
    finishedAt: date(row.finishedAt),
  };
}

/** Of a run that has completed its job the job's row says so. */
function suiteRun({ jobId: _, error: _error, ...row }: RunRow, job: JobRow): SuiteRun {
  const isCompletion = job.status === 'complete' && job.runId === row.runId;
  return {
    ...row,
    outcome: isCompletion ? 'complete' : row.outcome,
    startedAt: new Date(row.startedAt),
    finishedAt: date(isCompletion ? job.finishedAt : row.finishedAt),
    progress: JSON.parse(row.progress),
  };
}

/** The run that completed a job, if the job's row alone tells of it. */
function completion(job: JobRow, runs: readonly SuiteRun[]): readonly SuiteRun[] {
  const { status, runId, startedAt, finishedAt } = job;
  if (status !== 'complete' || runId === null || runs.some((run) => run.runId === runId)) return [];
  const [begun, ended] = [date(startedAt) ?? new Date(Number.NaN), date(finishedAt)];
  return [
    { runId, workerId: null, startedAt: begun, finishedAt: ended, outcome: 'complete', progress: null },
  ];
}

function date(ms: number | null): Date | null {
  return ms === null ? null : new Date(ms);
}
