import { held, heldJobs, leased } from '../../claims/statements/in-progress.js';
import { ms } from '../../jobs/statements/columns.js';
import type { Tables } from '../../schema/tables.js';

/** The jobs with limits, the slots that are taken, and the times of starts. */
export const limitedJobStatements = (tables: Tables) => {
  const { job, slot, setting, rate, takenSlots } = tables;
  const among = (names: string): string => (names === '' ? '' : `WHERE name IN (${names})`);
  const ofPart = `FROM ${job} FORCE INDEX (job_claim) WHERE queue = ? AND claimable = 1 AND limits = ?`;
  /** The same of each part. The values of each are queue, limits, and a number of jobs. */
  const parts = (count: number, of: (place: number) => string): string =>
    Array.from({ length: count }, (_, place) => `(${of(place)})`).join(' UNION ALL ');
  const runsOf = (ids: string): string => `
      ${heldJobs(tables, ids, 'job.queue, job.limits')}
      HAVING alive = 1 OR job.status = 'in-progress'`;

  return {
    limitedDue: (count: number): string =>
      parts(
        count,
        (place) =>
          `SELECT ${place} AS place, CAST(COUNT(*) AS CHAR) AS due
         FROM (SELECT 1 ${ofPart} AND available_at <= UTC_TIMESTAMP(6) LIMIT ?) AS first`,
      ),

    // The values are the prefix of the locks, and those of `held`.
    heldLimitedJobs: (latest: string, workers: string): string =>
      runsOf(held(tables, "job.limits > ''", latest, workers)),

    leasedLimitedJobs: runsOf(`${leased(tables, "job.limits > ''")} LIMIT 1000`),

    /** Of these limits, or of all. */
    settings: (names: string): string => `
      SELECT name, max, starts, CAST(per_ms AS CHAR) AS per_ms, burst, CAST(${ms('set_at')} AS CHAR) AS set_at, set_by
      FROM ${setting} ${among(names)} ORDER BY name LIMIT 1000`,

    slotNames: (names: string): string =>
      `SELECT DISTINCT name FROM ${slot} ${among(names)} ORDER BY name LIMIT 1000`,

    takenSlots: `CALL ${takenSlots}(?)`,

    startTimes: (names: string): string => `
      SELECT name, CAST(TIMESTAMPDIFF(MICROSECOND, UTC_TIMESTAMP(6), next_at) AS CHAR) AS next_us
      FROM ${rate} ${among(names)} ORDER BY name LIMIT 1000`,
  };
};
