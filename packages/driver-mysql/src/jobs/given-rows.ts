import type { RunRef, RunStart } from '@rowlock/core/driver';
import { createdMs } from '@rowlock/sql-drivers';
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
  ['limits', 'VARCHAR(1000)'],
  ['created_by', 'VARCHAR(1000)'],
]);

/** Unique keys in the form of the table's column. */
export const WANTED_KEYS = new Given('wanted', [['taken_key', 'VARCHAR(1000)']]);

export const FOLLOWERS = new Given('given', [
  ['public_id', 'CHAR(36)'],
  ['after_id', 'CHAR(36)'],
  ['available_at', 'DOUBLE'],
  ['delay', 'DOUBLE'],
]);

export const EXPIRIES = new Given('given', [
  ['public_id', 'CHAR(36)'],
  ['available_at', 'DOUBLE'],
  ['delay', 'DOUBLE'],
]);

/** Jobs, and their times as texts. */
export const TIMES = new Given('given', [
  ['id', 'BIGINT'],
  ['available_at', 'VARCHAR(1000)'],
]);

export const PUBLIC_IDS = new Given('given', [['public_id', 'CHAR(36)']]);

const IDS = new Given('given', [['id', 'BIGINT']]);

/** One or more ids. */
export function idRows(ids: readonly (string | bigint)[]): GivenRows {
  return IDS.rows(ids.map((id) => ({ id: String(id) })));
}

const QUEUES = new Given('given', [['queue', 'VARCHAR(1000)']]);

/** One or more queues. */
export function queueRows(queues: readonly string[]): GivenRows {
  return QUEUES.rows(queues.map((queue) => ({ queue })));
}

export const KEYS = new Given('given', [['entity', 'VARCHAR(1000)']]);

const RUNS = new Given('given', [
  ['process_id', 'CHAR(36)'],
  ['job_id', 'BIGINT'],
]);

/** The records of a run: one for each of its jobs. */
export function recordsOf({ runId, jobs }: RunRef): GivenRows {
  return RUNS.rows(jobs.map((id) => ({ process_id: runId, job_id: String(id) })));
}

const STARTS = new Given('given', [
  ['process_id', 'CHAR(36)'],
  ['job_id', 'BIGINT'],
  ['worker_id', 'BIGINT'],
  ['created', 'DOUBLE'],
]);

/** The records of runs that begin: one for each of their jobs. `created` is in milliseconds since 1970. */
export function startsOf(runs: readonly RunStart[]): GivenRows {
  return STARTS.rows(
    runs.flatMap(({ runId, workerId, jobs }) =>
      jobs.map((job) => ({
        process_id: runId,
        job_id: String(job.id),
        worker_id: workerId,
        created: createdMs(job),
      })),
    ),
  );
}

export const MOVES = new Given('moved', [
  ['id', 'BIGINT'],
  ['crashes', 'INT'],
]);

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

export const SLOTS = new Given('taken', [
  ['name', 'VARCHAR(1000)'],
  ['n', 'INT'],
]);
