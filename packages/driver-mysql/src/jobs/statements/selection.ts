import { HELD, held, leased, newest, newestRun, OPEN } from '../../claims/statements/in-progress.js';
import type { Tables } from '../../schema/tables.js';
import { ms } from './columns.js';

/** The order of a page's ids: newest or oldest first. */
export type Direction = 'DESC' | 'ASC';

/** The statements that look for jobs by a filter. */
export const selectionStatements = (tables: Tables) => {
  const { job } = tables;

  /** A way to outstanding jobs, queue by queue. @param queue A condition on the queues, or `TRUE`. */
  const outstandingPart = (index: string, column: string, queue: string): string => `
        (SELECT DISTINCT queue FROM ${job} AS job WHERE ${queue}) AS lane
        STRAIGHT_JOIN ${job} AS job FORCE INDEX (${index}) ON job.queue = lane.queue AND job.${column} = 1 WHERE TRUE`;

  return {
    // Ways to jobs: a table and a condition. Each index is in the order of the ids, or few rows are found by it.
    allJobs: `${job} AS job FORCE INDEX (PRIMARY) WHERE TRUE`,

    failedJobs: `${job} AS job FORCE INDEX (job_failed) WHERE job.failed = ?`,

    jobsByPublicId: (ids: string): string =>
      `${job} AS job FORCE INDEX (public_id) WHERE job.public_id IN (${ids})`,

    dueJobs: (queue: string): string => outstandingPart('job_claim', 'claimable', queue),
    laterJobs: (queue: string): string => outstandingPart('job_later', 'later', queue),
    leasedJobs: (queue: string): string => outstandingPart('job_leased', 'leased', queue),

    // In the order of the ids if the queue is given. Otherwise the server sorts the ids of the key.
    keptJobs: `${job} AS job FORCE INDEX (job_entity) WHERE job.\`key\` = ? AND job.outstanding IS NULL`,

    outstandingJobs: `${job} AS job FORCE INDEX (job_entity) WHERE job.\`key\` = ? AND job.outstanding = 1`,

    // The values are those of `held`, and those of `where`.
    runningJobs: (where: string, latest: string, workers: string): string => `
        (${held(tables, where, latest, workers)} UNION ${leased(tables, where)}) AS shown
        STRAIGHT_JOIN ${job} AS job FORCE INDEX (PRIMARY) ON job.id = shown.id WHERE TRUE`,

    // Inside IF: servers would make a join of IN, and read and sort all jobs for it.
    isHeld: (where: string, latest: string, workers: string): string =>
      `IF(job.id IN (SELECT id FROM (${held(tables, where, latest, workers)}) AS each_held), TRUE, FALSE)`,

    // A page of ids. The last value is the number of rows.
    pageBy: (way: string, also: string, direction: Direction): string =>
      `SELECT job.id FROM ${way} AND ${also} ORDER BY job.id ${direction} LIMIT ?`,

    // Of pages in brackets, with UNION ALL between them.
    pageOf: (pages: string, direction: Direction): string =>
      `SELECT id FROM (${pages}) AS ways ORDER BY id ${direction} LIMIT ?`,

    // The ids of the page are chosen first, and joined afterwards. Otherwise MySQL would join and sort all jobs: 13 s for a million.
    // The joined rows have no order: MySQL refuses to sort a row whose JSON is larger than the sort buffer.
    list: (page: string): string => `
      SELECT CAST(job.id AS CHAR) AS id, job.public_id, job.queue, job.kind, job.\`key\`,
             CAST(job.payload AS CHAR) AS payload, job.priority, job.attempt, job.max_attempts, job.crashes, job.redrives,
             CAST(job.metadata AS CHAR) AS metadata, job.limits, job.unique_key, CAST(job.output AS CHAR) AS output,
             CAST(job.error AS CHAR) AS error, job.created_by, job.started_by, job.finished_by,
             IF(${HELD}, 'in-progress', job.status) AS status,
             IF(${HELD}, ${newest('process_id')}, job.process_id) AS process_id,
             IF(${HELD}, worker.name, NULL) AS worker,
             CAST(IF(${OPEN} AND NOT last.process_id <=> open.process_id, NULL, last.progress) AS CHAR) AS progress,
             CAST(${ms('job.created_at')} AS CHAR) AS created_at,
             CAST(${ms('job.available_at')} AS CHAR) AS available_at,
             CAST(${ms(`IF(${HELD}, ${newest('started_at')}, job.started_at)`)} AS CHAR) AS started_at,
             CAST(${ms('job.finished_at')} AS CHAR) AS finished_at
      FROM (${page}) AS page STRAIGHT_JOIN ${job} AS job ON job.id = page.id
      ${newestRun(tables)}`,

    // Milliseconds are rounded down: a job never counts as older than it is.
    listEntries: (page: string, direction: Direction): string => `
      SELECT CAST(page.id AS CHAR) AS id, job.public_id, job.queue, job.status,
             CAST(FLOOR(TIMESTAMPDIFF(MICROSECOND, job.created_at, UTC_TIMESTAMP(6)) / 1000) AS CHAR) AS created_ms,
             CAST(FLOOR(TIMESTAMPDIFF(MICROSECOND, job.finished_at, UTC_TIMESTAMP(6)) / 1000) AS CHAR) AS settled_ms
      FROM (${page}) AS page STRAIGHT_JOIN ${job} AS job FORCE INDEX (PRIMARY) ON job.id = page.id
      ORDER BY page.id ${direction}`,

    // How many rows there are to look at, up to the limit of a page, and the last of them.
    lookEnd: (page: string, direction: Direction): string =>
      `SELECT CAST(COUNT(*) AS CHAR) AS jobs, CAST(${direction === 'DESC' ? 'MIN' : 'MAX'}(id) AS CHAR) AS last FROM (${page}) AS page`,

    /** Counts to a number. @param pages Pages in brackets, with UNION ALL between them. */
    countTo: (pages: string): string =>
      `SELECT CAST(COUNT(*) AS CHAR) AS jobs FROM (${pages} LIMIT ?) AS counted`,

    // In no order: a count reads no more than it counts.
    anyOf: (way: string, also: string): string => `SELECT job.id FROM ${way} AND ${also} LIMIT ?`,
  };
};
