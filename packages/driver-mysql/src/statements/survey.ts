import type { Tables } from './tables.js';

/** The delayed jobs that have become due, the time when more will, and whether there is work. */
export const surveyStatements = ({ job }: Tables) => ({
  findLater: `
      SELECT CAST(id AS CHAR) AS id FROM ${job} FORCE INDEX (job_later)
      WHERE queue = ? AND later = 1 AND available_at <= UTC_TIMESTAMP(6)
      ORDER BY available_at
      LIMIT 1000`,

  // A run may have delayed a job after it was found. Such a job must be found again at its time.
  lockLater: (ids: string): string => `
      SELECT CAST(job.id AS CHAR) AS id FROM ${job} AS job FORCE INDEX (PRIMARY)
      WHERE id IN (${ids}) AND status = 'new' AND NOT due AND available_at <= UTC_TIMESTAMP(6)
      ORDER BY job.id
      FOR UPDATE SKIP LOCKED`,

  promote: (ids: string): string => `UPDATE ${job} FORCE INDEX (PRIMARY) SET due = TRUE WHERE id IN (${ids})`,

  nextDue: `
      SELECT CAST(TIMESTAMPDIFF(MICROSECOND, UTC_TIMESTAMP(6), available_at) / 1000 AS CHAR) AS next_due_ms
      FROM ${job} FORCE INDEX (job_later)
      WHERE queue = ? AND later = 1 AND available_at > UTC_TIMESTAMP(6)
      ORDER BY available_at
      LIMIT 1`,

  waiting: (kinds: string): string => `
      SELECT 1 FROM ${job} FORCE INDEX (job_claim)
      WHERE queue = ? AND claimable = 1 AND available_at <= UTC_TIMESTAMP(6) AND kind IN (${kinds})
      ORDER BY priority, id
      LIMIT 1`,

  leased: `SELECT 1 FROM ${job} FORCE INDEX (job_leased) WHERE queue = ? AND leased = 1 LIMIT 1`,
});
