import { isSettled } from '@rowlock/core';
import type { Result } from '../result.js';
import { asWanted } from './job.js';
import type { ModelState } from './state.js';

/** What the tables hold for everybody to see. */
export function tables(state: ModelState): Result {
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
      runs: runs.map(({ run, worker, outcome, progress }) => {
        // Of a run that has completed its job the job's row says so.
        const ended = row.status === 'complete' && row.run === run ? 'complete' : outcome;
        return { run, worker: worker.name, outcome: ended, isFinished: ended !== null, progress };
      }),
    })),
    effects: [...state.effects].sort(),
  };
}
