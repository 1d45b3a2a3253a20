import { pauseConditions } from '../../admission/statements/pauses.js';
import { JOB } from '../../jobs/statements/columns.js';
import type { Tables } from '../../schema/tables.js';

/** The jobs that a group may contain: due jobs, and leased ones. */
export const RUNS_NOW = `(status = 'in-progress' OR (status = 'new' AND available_at <= UTC_TIMESTAMP(6)))`;

/** The jobs of the same keys: locks them, and finds the ones to wait for. */
export const siblingStatements = (tables: Tables) => {
  const { job } = tables;
  const paused = `${pauseConditions(tables).pausesOf('job.queue', 'job.kind')} AS paused`;
  const lockedSiblings = (ids: string): string => `
      FROM ${job} AS job FORCE INDEX (PRIMARY)
      WHERE id IN (${ids}) AND ${RUNS_NOW}
      ORDER BY job.id
      FOR UPDATE NOWAIT`;

  return {
    // A join, in which the server looks up each key by itself. The join has no order: where MariaDB 10.11 has to sort, it sometimes
    // takes `outstanding` for NULL in all rows, and finds none.
    siblings: (given: string): string => `
      SELECT CAST(job.id AS CHAR) AS id, job.\`key\` FROM ${given}
      STRAIGHT_JOIN ${job} AS job FORCE INDEX (job_entity) ON job.\`key\` = given.entity
      WHERE outstanding = 1 AND queue = ? AND ${RUNS_NOW}
      LIMIT ?`,

    // Checks the state again when the rows are locked: a job may have been settled or delayed meanwhile.
    lockSiblings: (ids: string): string => `SELECT ${JOB}, ${paused} ${lockedSiblings(ids)}`,

    // For a key with many more jobs than are wanted. The wanted ones are read afterwards.
    lockManySiblings: (ids: string): string =>
      `SELECT CAST(job.id AS CHAR) AS id, job.\`key\`, job.status, ${paused} ${lockedSiblings(ids)}`,

    locked: (ids: string): string =>
      `SELECT ${JOB} FROM ${job} AS job FORCE INDEX (PRIMARY) WHERE id IN (${ids})`,

    // A read without locks is enough: a job whose handler runs is still outstanding in the committed rows.
    firstOutstanding: (kinds: string, except: string): string => `
      SELECT CAST(MIN(id) AS CHAR) AS id FROM ${job} FORCE INDEX (job_entity)
      WHERE \`key\` = ? AND outstanding = 1 AND kind IN (${kinds}) AND id > ? AND id < ? AND id NOT IN (${except})`,
  };
};
