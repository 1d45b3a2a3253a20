import type { RunRef } from '@rowlock/core/driver';
import { Given, type GivenRows } from './given.js';

export const NEW_JOBS = new Given('given', [
  ['public_id', 'CHAR(36)'],
  ['queue', 'VARCHAR(1000)'],
  ['kind', 'VARCHAR(1000)'],
  ['job_key', 'VARCHAR(1000)'],
  ['payload', 'LONGTEXT'],
  ['priority', 'INT'],
  ['available_at', 'DOUBLE'],
  ['delay', 'DOUBLE'],
  ['max_attempts', 'INT'],
  ['unique_key', 'VARCHAR(1000)'],
  ['unique_scope', 'VARCHAR(1000)'],
  ['metadata', 'LONGTEXT'],
  ['created_by', 'VARCHAR(1000)'],
]);

export const KEYS = new Given('given', [['entity', 'VARCHAR(1000)']]);

const RUNS = new Given('given', [
  ['process_id', 'CHAR(36)'],
  ['job_id', 'BIGINT'],
  ['worker_id', 'BIGINT'],
]);

/** The records of runs: one for each of their jobs. */
export function recordsOf(runs: readonly (RunRef & { readonly workerId?: string })[]): GivenRows {
  return RUNS.rows(
    runs.flatMap(({ runId, workerId, jobs }) =>
      jobs.map((id) => ({ process_id: runId, job_id: String(id), worker_id: workerId ?? null })),
    ),
  );
}

export const ENDINGS = new Given('ending', [
  ['id', 'BIGINT'],
  ['process_id', 'CHAR(36)'],
  ['event', 'VARCHAR(1000)'],
  ['status', 'VARCHAR(1000)'],
  ['attempt', 'INT'],
  ['crashes', 'INT'],
  ['delay', 'DOUBLE'],
  ['took', 'DOUBLE'],
  ['output', 'LONGTEXT'],
  ['error', 'LONGTEXT'],
  ['settled_by', 'VARCHAR(1000)'],
]);
