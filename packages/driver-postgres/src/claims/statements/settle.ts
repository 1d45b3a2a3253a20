import type { Tables } from '../../schema/tables.js';
import { unseen } from '../../values/unseen.js';
import { ENDED_MEANWHILE, fresh } from './open-run.js';

/** A text that is no integer. The server quotes it in an error when a transaction had fewer jobs to settle. */
export const NOT_ALL = 'rowlock settled';

/** The end of a run, in the job and in its record. */
export const settleStatements = (tables: Tables) => {
  const { job, run, openRun } = tables;

  /** @param one Whether it is one job, which has a generic plan. For many jobs such a plan compares each with each. */
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

  /**
   * The end of an open run. $14 is not beyond the last of its jobs. Jobs of the run that this statement does not settle
   * have a record each.
   */
  const settledTogether = `${settledBy(false)}, over AS (
        DELETE FROM ${openRun} WHERE last_id >= $14 AND process_id = ANY($2)
        RETURNING process_id, worker_id, jobs_before, started_at, job_ids
      ), kept AS (
        INSERT INTO ${run} (process_id, job_id, worker_id, jobs_before, started_at, finished_at, outcome, error)
        SELECT over.process_id, has.id, worker_id, jobs_before, started_at, CASE WHEN event IS NOT NULL THEN clock_timestamp() END, event, ending.error
        FROM over CROSS JOIN unnest(job_ids) AS has (id)
        LEFT JOIN (settled JOIN ending USING (id)) ON settled.id = has.id
        WHERE event IS DISTINCT FROM 'complete' AND ${fresh(tables, 'over.process_id')}
        ${ENDED_MEANWHILE}
      )`;

  const settledIds = 'SELECT id FROM settled';
  /** NOT_ALL keeps an application's own error, as in a trigger, apart from this one. */
  const allSettled = (jobs: string): string =>
    `SELECT CASE WHEN count(*) = ${jobs} THEN 1 ELSE ('${NOT_ALL} ' || count(*))::integer END AS all_settled FROM settled`;

  /** The settlement of jobs that are complete, without output, when it is the same for all. */
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
    // A complete job's record of its run stays as it is: the row has the run's id, and its end. A write to the record as well
    // took a third of the rate of a queue of small jobs. Jobs are given by ANY: see startRuns.
    settle: `${settled} ${settledIds}`,

    // A COMMIT comes right behind. Unless everything was written, the statement fails, and all is rolled back.
    settleAll: `${settled} ${allSettled('cardinality($1)')}`,

    // The same at the end of an open run.
    settleTogether: `${settledTogether} ${settledIds}`,

    settleAllTogether: `${settledTogether} ${allSettled('cardinality($1)')}`,

    // The same for a complete job without output, as in most settlements. One plan fits any job. For several jobs the planner
    // expects ten in a generic plan, and so plans each time. The number of changed rows says whether the job was settled:
    // a RETURNING takes three of the server's 80 us for a job.
    complete,

    // The same with a COMMIT right behind it, and with the handler's writes.
    completeAll: `WITH settled AS (${complete} RETURNING id) ${allSettled('1')}`,

    // The same for jobs that are all complete, without output, and with equal settlements. The statement takes a sixth less of the server's
    // time than one with a run's id for each job. The latter takes a fifth less than one with a row of values for each.
    settleAlike,
  };
};
