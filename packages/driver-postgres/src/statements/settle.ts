import { ENDED_MEANWHILE, fresh } from './open-run.js';
import type { Tables } from './tables.js';
import { unseen } from './unseen.js';

/** What the server quotes, as no integer, when fewer jobs were a transaction's to settle. */
export const NOT_ALL = 'rowlock settled';

/** The end of a run, written into the job and into the record. */
export const settleStatements = (tables: Tables) => {
  const { job, run, openRun } = tables;

  /** @param one Whether it is one job, by one plan for all of them. Of many such a plan would compare each with each. */
  const settledBy = (one: boolean): string => {
    const ids = one ? unseen('$1', 'bigint[]') : '$1::bigint[]';
    const unfinished = one ? unseen('$13', 'bigint[]') : '$13::bigint[]';
    return `
      WITH ending AS MATERIALIZED (
        SELECT * FROM unnest(${ids}, $2::uuid[], $3::text[], $4::text[], $5::integer[], $6::integer[], $7::float8[],
                             $8::float8[], $9::jsonb[], $10::jsonb[], $11::text[])
          AS ending (id, process_id, event, status, attempt, crashes, delay, took, output, error, by)
      ), settled AS (
        UPDATE ${job} AS job SET
          status = ending.status,
          process_id = ending.process_id,
          attempt = ending.attempt,
          crashes = ending.crashes,
          output = ending.output,
          error = ending.error,
          due = CASE ending.status WHEN 'new' THEN ending.delay = 0 ELSE job.due END,
          available_at = CASE ending.status
            WHEN 'new' THEN clock_timestamp() + ending.delay * interval '1 ms' ELSE job.available_at END,
          started_at = clock_timestamp() - ending.took * interval '1 ms',
          started_by = ending.by,
          finished_at = CASE ending.status WHEN 'new' THEN NULL ELSE clock_timestamp() END,
          finished_by = CASE ending.status WHEN 'new' THEN NULL ELSE ending.by END
        FROM ending
        WHERE job.id = ANY(${ids}) AND job.id = ending.id AND job.status = $12
        RETURNING job.id
      ), ended AS (
        UPDATE ${run} AS run SET finished_at = clock_timestamp(), outcome = ending.event, error = ending.error
        FROM ending JOIN settled USING (id)
        WHERE run.job_id = ANY(${unfinished}) AND run.process_id = ending.process_id AND run.job_id = ending.id
      )`;
  };

  const settled = settledBy(true);

  /** Of an open run: its end. $14 is not beyond the last of its jobs; those of them that are not settled by this have a record each. */
  const settledTogether = `${settledBy(false)}, over AS (
        DELETE FROM ${openRun} WHERE last_id >= $14 AND process_id = ANY($2)
        RETURNING process_id, worker_id, started_at, job_ids
      ), kept AS (
        INSERT INTO ${run} (process_id, job_id, worker_id, started_at, finished_at, outcome, error)
        SELECT over.process_id, has.id, worker_id, started_at, CASE WHEN event IS NOT NULL THEN clock_timestamp() END, event, ending.error
        FROM over CROSS JOIN unnest(job_ids) AS has (id)
        LEFT JOIN (settled JOIN ending USING (id)) ON settled.id = has.id
        WHERE event IS DISTINCT FROM 'complete' AND ${fresh(tables, 'over.process_id')}
        ${ENDED_MEANWHILE}
      )`;

  const settledIds = 'SELECT id FROM settled';
  /** An error of the application's, in a trigger, is not to be taken for this one: see NOT_ALL. */
  const allSettled = (jobs: string): string =>
    `SELECT CASE WHEN count(*) = ${jobs} THEN 1 ELSE ('${NOT_ALL} ' || count(*))::integer END AS all_settled FROM settled`;

  /** Of jobs that are complete, without output: their settlement, if it is the same for all. */
  const completed = (which: string): string => `
        UPDATE ${job} SET
          status = 'complete',
          process_id = $2,
          attempt = $3,
          crashes = $4,
          output = NULL,
          error = NULL,
          started_at = clock_timestamp() - $5::float8 * interval '1 ms',
          started_by = $6,
          finished_at = clock_timestamp(),
          finished_by = $6
        WHERE ${which} AND status = $7
      `;

  const complete = completed('id = $1');

  const settleAlike = `
      WITH settled AS (${completed(`id = ANY(${unseen('$1', 'bigint[]')})`)} RETURNING id), over AS (
        DELETE FROM ${openRun} WHERE last_id = $8 AND process_id = $2 AND cardinality(job_ids) = cardinality($1)
      )
      ${allSettled('cardinality($1)')}`;

  return {
    // Of a job that is complete the run's record stays as it is: the row has the run's id, and says when. To write it as well
    // took a third of the rate of a queue of small jobs. Jobs by ANY: see startRuns.
    settle: `${settled} ${settledIds}`,

    // With a COMMIT right behind it: fails, and all is rolled back, unless everything was written.
    settleAll: `${settled} ${allSettled('cardinality($1)')}`,

    // The same at the end of an open run.
    settleTogether: `${settledTogether} ${settledIds}`,

    settleAllTogether: `${settledTogether} ${allSettled('cardinality($1)')}`,

    // The same for a job that is complete, without output: what most settlements are. Its plan does for any job; that for any
    // number of them would count with ten, so they are planned each time. Whether it was settled is told by how many rows were changed: a
    // RETURNING is three of the server's 80 us for a job.
    complete,

    // The same with a COMMIT right behind it, and with what a handler has written.
    completeAll: `WITH settled AS (${complete} RETURNING id) ${allSettled('1')}`,

    // And for jobs that are all complete, without output, and whose settlements differ in nothing: a sixth less of the server's
    // time than with a run's id for each, and that a fifth less than with a row of values for each.
    settleAlike,
  };
};
