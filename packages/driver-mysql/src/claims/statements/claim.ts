import { pauseConditions } from '../../admission/statements/pauses.js';
import { JOB } from '../../jobs/statements/columns.js';
import type { Tables } from '../../schema/tables.js';

/** The claim, and its transaction's settings. */
export const claimStatements = (tables: Tables) => {
  const { job } = tables;
  const { isQueueOpen, areLimitsOpen, isKindOpen } = pauseConditions(tables);
  const isRunnable = (kinds: string, busy: string, limits: string): string =>
    `place.available_at <= UTC_TIMESTAMP(6) AND place.kind IN (${kinds}) AND (place.\`key\` IS NULL OR place.\`key\` NOT IN (${busy}))
         AND ${isQueueOpen('?')}${limits === '' ? '' : ` AND ${areLimitsOpen(limits)}`} AND ${isKindOpen('place.kind')}`;

  const places = (range: string, order: string, kinds: string, busy: string, limits: string): string => `
        (SELECT place.id, place.priority, place.\`key\` FROM ${job} AS place FORCE INDEX (job_claim)
         WHERE queue = ? AND claimable = 1 AND limits = ? ${range} AND ${isRunnable(kinds, busy, limits)}
         ORDER BY ${order} LIMIT ?)`;

  // A page of places in the order of the claim: from the first job on, or from the line. The line needs two ranges for the index.
  const page = (from: 'start' | 'line', limits: string, kinds: string, busy: string): string =>
    from === 'start'
      ? `${places('', 'place.priority, place.id', kinds, busy, limits)} AS candidate`
      : `(${places('AND priority = ? AND id > ?', 'place.id', kinds, busy, limits)}
        UNION ALL${places('AND priority > ?', 'place.priority, place.id', kinds, busy, limits)}
      ) AS candidate`;

  return {
    // The server ends the connection of a claim that is idle for longer, and so the transaction.
    idleLimit: (seconds: number, also = ''): string =>
      `SET ${also}SESSION wait_timeout = ${Math.ceil(seconds)}`,

    // `place` is a plain read of the claim's index, which locks nothing. A locking read of an index also locks the index's records, in
    // an order of its own. With claims, sibling locks and settlements on three indexes, locking reads gave a deadlock in some thousand
    // claims. Only `job` is locked, by primary key, row by row in the order of the index. LIMIT thus locks only the rows that it returns.
    claim: (from: 'start' | 'line', limits: string, kinds: string, busy: string): string => `
      SELECT ${JOB} FROM ${job} AS place FORCE INDEX (job_claim)
      STRAIGHT_JOIN ${job} AS job FORCE INDEX (PRIMARY) ON job.id = place.id
      WHERE place.queue = ? AND place.claimable = 1 AND place.limits = ?
        ${from === 'start' ? '' : 'AND ((place.priority = ? AND place.id > ?) OR place.priority > ?)'}
        AND ${isRunnable(kinds, busy, limits)} AND job.status = 'new' AND job.available_at <= UTC_TIMESTAMP(6)
      ORDER BY place.priority, place.id
      LIMIT ?
      FOR UPDATE OF job SKIP LOCKED`,

    // MariaDB has no OF. The places, in brackets, are read first, and then locked in their order. An ORDER BY would lock all.
    claimFromPage: (from: 'start' | 'line', limits: string, kinds: string, busy: string): string => `
      SELECT ${JOB} FROM ${page(from, limits, kinds, busy)}
      STRAIGHT_JOIN ${job} AS job FORCE INDEX (PRIMARY) ON job.id = candidate.id
      WHERE job.status = 'new' AND job.available_at <= UTC_TIMESTAMP(6)
      LIMIT ?
      FOR UPDATE SKIP LOCKED`,

    // The number of a page's places, by key.
    keysOfPage: (from: 'start' | 'line', limits: string, kinds: string, busy: string): string => `
      SELECT candidate.\`key\`, COUNT(*) AS jobs FROM ${page(from, limits, kinds, busy)} GROUP BY candidate.\`key\``,

    // For the time after a deadlock. Another run that had the job meanwhile has counted an attempt, has delayed the job, or still has it.
    lockAgain: (ids: string): string => `
      SELECT CAST(job.id AS CHAR) AS id, job.attempt FROM ${job} AS job FORCE INDEX (PRIMARY)
      WHERE id IN (${ids}) AND status = 'new' AND available_at <= UTC_TIMESTAMP(6)
      ORDER BY job.id
      FOR UPDATE NOWAIT`,
  };
};
