import { JOB } from './columns.js';
import type { Tables } from './tables.js';

/** The jobs of the same keys: to lock them, and to wait for them. */
export const siblingStatements = ({ job }: Tables) => {
  /** All jobs of some keys that somebody may run now: refused, if somebody has one. */
  const locked = (which: string): string => `locked AS MATERIALIZED (
        SELECT ${JOB} FROM ${job}
        WHERE queue = $1 AND ${which} AND status IN ('new', 'in-progress')
          AND (status = 'in-progress' OR available_at <= statement_timestamp())
        ORDER BY id
        FOR NO KEY UPDATE NOWAIT
      )`;

  return {
    // Of several keys. The inner query locks them all, in one order for everybody; only the first of each key are returned.
    lockSiblings: `
      WITH ${locked('key = ANY($2)')}, placed AS (
        SELECT *, row_number() OVER (PARTITION BY key ORDER BY (status = 'in-progress') DESC, id) AS place FROM locked
      )
      SELECT * FROM placed WHERE place <= $3 ORDER BY key, place`,

    // The same of one key. A plan for any number of them counts with ten, so one was made each time, for 260 us a job. It still is where
    // statistics know few keys, of which one has most jobs.
    lockKey: `
      WITH ${locked('key = $2')}
      SELECT * FROM locked ORDER BY (status = 'in-progress') DESC, id LIMIT $3`,

    // A plain read answers: a job whose handler runs is still outstanding in what is committed. Materialized, because
    // for a bare min(id) the planner may walk the primary key through a key's whole history: 755 ms instead of 0.1 ms
    // with half a million settled jobs of the key.
    firstOutstanding: `
      WITH outstanding AS MATERIALIZED (
        SELECT id FROM ${job} WHERE key = $1 AND kind = ANY($2) AND status IN ('new', 'in-progress')
      )
      SELECT min(id) AS id FROM outstanding WHERE id < $3 AND id <> ALL($4)`,
  };
};
