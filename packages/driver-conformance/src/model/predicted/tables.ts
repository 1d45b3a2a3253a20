import { isSettled } from '@rowlock/core/driver';
import type { Result } from '../result.js';
import { asWanted, type CommittedJob, type ModelRun } from './job.js';
import type { ModelState } from './state.js';

/** What the tables hold for everybody to see. */
export function look(state: ModelState): Result {
  return {
    jobs: state.allCommitted().map(({ name, wanted, row, runs }) => ({
      ...asWanted(name, wanted),
      status: row.status,
      attempt: row.attempt,
      crashes: row.crashes,
      isAvailable: row.isAvailable,
      isFinished: isSettled(row.status),
      run: row.run,
      unique: wanted.unique?.key ?? null,
      output: row.output,
      error: row.error,
      limits: wanted.limits,
      metadata: row.metadata,
      payload: row.payload,
      runs: [...runs.map((record) => seen(record, row)), ...completion(runs, row)],
    })),
    effects: [...state.effects].sort(),
  };
}

/** Of a run that has completed its job the job's row says so. */
function seen({ run, worker, outcome, progress }: ModelRun, row: CommittedJob['row']): object {
  const ended = row.status === 'complete' && row.run === run ? 'complete' : outcome;
  const by = ended === 'complete' ? null : worker.name;
  return { run, worker: by, outcome: ended, isFinished: ended !== null, progress };
}

/** Also where there is no record. */
function completion(runs: readonly ModelRun[], { status, run }: CommittedJob['row']): readonly object[] {
  if (status !== 'complete' || runs.some((record) => record.run === run)) return [];
  return [{ run, worker: null, outcome: 'complete', isFinished: true, progress: null }];
}
