import { pauseConditions } from '../../admission/statements/pauses.js';
import { JOB } from '../../jobs/statements/columns.js';
import type { Tables } from '../../schema/tables.js';

/** The jobs that a group may contain: due jobs, and leased ones. */
export const RUNS_NOW = `status IN ('new', 'in-progress')
          AND (status = 'in-progress' OR available_at <= statement_timestamp())`;

/** Whether a job of these kinds still has work ahead of it. */
export const isOutstanding = (kinds: string): string =>
  `kind = ${kinds} AND status IN ('new', 'in-progress')`;

/** The jobs of the same keys: locks them, and finds the ones to wait for. */
export const siblingStatements = (tables: Tables) => {
  const { job } = tables;
  const { isQueuePaused, pausedKinds } = pauseConditions(tables);
  const paused = `${isQueuePaused('$1')} OR kind = ANY(${pausedKinds}) AS paused`;
  /** All runnable jobs of some keys. NOWAIT refuses the statement when another transaction has one. */
  const locked = (which: string): string => `locked AS MATERIALIZED (
        SELECT ${JOB} FROM ${job}
        WHERE queue = $1 AND ${which} AND ${RUNS_NOW}
        ORDER BY id
        FOR NO KEY UPDATE NOWAIT
      )`;

  return {
    // For several keys, which the planner may see: a plan for any keys walks the history of a million jobs where one key has most of
    // them. It is planned each time then. The inner query locks all jobs in one common order. Only the first of each key are returned.
    lockSiblings: `
      WITH ${locked('key = ANY($2)')}, placed AS (
        SELECT *, row_number() OVER (PARTITION BY key ORDER BY (status = 'in-progress') DESC, id) AS place FROM locked
      )
      SELECT *, ${paused} FROM placed WHERE place <= $3 ORDER BY key, place`,

    // The same for one key. A plan for any number of keys expects ten, so the planner made one each time, for 260 us a job.
    // The planner still plans each time where the statistics know few keys, of which one has most jobs.
    lockKey: `
      WITH ${locked('key = $2')}
      SELECT *, ${paused} FROM locked ORDER BY (status = 'in-progress') DESC, id LIMIT $3`,

    // A plain read is enough: a job whose handler runs is still outstanding in the committed rows. MATERIALIZED is needed:
    // for a bare min(id) the planner may walk the primary key through a key's whole history. The read then took 755 ms instead of 0.1 ms
    // with half a million settled jobs of the key.
    firstOutstanding: `
      WITH outstanding AS MATERIALIZED (
        SELECT id FROM ${job} WHERE key = $1 AND ${isOutstanding('ANY($2)')}
      )
      SELECT min(id) AS id FROM outstanding WHERE id < $3 AND id <> ALL($4)`,
  };
};
