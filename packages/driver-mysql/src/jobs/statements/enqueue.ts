import type { Tables } from '../../schema/tables.js';

const COLUMNS = `public_id, queue, kind, \`key\`, payload, priority, available_at, due, max_attempts, unique_key, unique_scope,
                          metadata, limits, created_by`;

/**
 * A job's `available_at` and `due`: by the given time, in milliseconds since 1970, or by a delay from now.
 * Each parameter is used twice, in this order.
 */
function availability(at: string, delay: string): string {
  return `${availableAt(at, delay)},
             COALESCE(${timeOf(at)} <= UTC_TIMESTAMP(6), ${delay} = 0)`;
}

/** The time alone. */
export function availableAt(at: string, delay: string): string {
  return `COALESCE(${timeOf(at)}, UTC_TIMESTAMP(6) + INTERVAL ROUND(${delay} * 1000) MICROSECOND)`;
}

function timeOf(at: string): string {
  return `'1970-01-01' + INTERVAL ROUND(${at} * 1000) MICROSECOND`;
}

/** The INSERTs of jobs, and the search for duplicates. */
export const enqueueStatements = ({ job }: Tables) => ({
  // INSERT IGNORE would cut a value that is too long. ON DUPLICATE KEY UPDATE would wait for a running handler. A plain
  // INSERT of a duplicate is refused at once. The duplicates are then found and left out.
  enqueue: (given: string): string => `${insert(job, given)}
      ORDER BY place`,

  // Inserts nothing when a key is taken. An INSERT that waits for a unique key keeps those waiting who insert into the gap before the
  // key. This read waits first, and at READ COMMITTED for the keys alone. It ends at the first one that is taken:
  // it does not wait for a second one with the lock of the first. NOT EXISTS might be read once for each job.
  enqueueUnlessTaken: (given: string, keys: string): string => `${insert(job, given)}
      WHERE (SELECT 1 FROM ${keys} STRAIGHT_JOIN ${job} AS other FORCE INDEX (job_unique)
             ON other.taken_key = wanted.taken_key LIMIT 1 LOCK IN SHARE MODE) IS NULL
      ORDER BY place`,

  // With innodb_autoinc_lock_mode = 1, MariaDB's default, all producers wait until an INSERT … SELECT has ended. Such an INSERT
  // may wait for a unique key. No producer waits for this INSERT of one job.
  enqueueOne: `
      INSERT INTO ${job} (${COLUMNS})
      VALUES (?, ?, ?, ?, ?, ?, ${availability('?', '?')}, ?, ?, COALESCE(?, 'outstanding'), ?, ?, ?)`,

  findDuplicates: (jobs: number): string => `
      SELECT taken_key, public_id FROM ${job} FORCE INDEX (job_unique)
      WHERE taken_key IN (${repeated(jobs, '?')})`,

  // Reads a range with almost nothing in it but its end. A read of one key of a unique index would stop at the row that had the key at
  // the snapshot. Such a read would not reach the row that this transaction has inserted.
  findSeen: (jobs: number): string => `
      SELECT taken_key, public_id FROM ${job} FORCE INDEX (job_unique)
      WHERE ${Array.from({ length: jobs }, () => '(taken_key > ? AND taken_key <= ?)').join(' OR ')}`,

  committed: (publicIds: string): string => `SELECT public_id FROM ${job} WHERE public_id IN (${publicIds})`,
});

function insert(job: string, given: string): string {
  return `
      INSERT INTO ${job} (${COLUMNS})
      SELECT public_id, queue, kind, job_key, payload, priority, ${availability('available_at', 'delay')},
             max_attempts, unique_key, COALESCE(unique_scope, 'outstanding'), metadata, limits, created_by
      FROM ${given}`;
}

function repeated(times: number, text: string): string {
  return Array.from({ length: times }, () => text).join(', ');
}
