import type { Tables } from './tables.js';

/** Whether the server takes no writes, but of accounts with a right for that. MariaDB 12 says OFF, ON or more, others 0 or 1. */
const ONLY_READS = "(CAST(@@GLOBAL.read_only AS CHAR) NOT IN ('0', 'OFF') OR @@GLOBAL.innodb_read_only)";

/** The bell: what rings it, and what sleeps until it rings. */
export const bellStatements = ({ bell, worker }: Tables) => ({
  ring: `INSERT INTO ${bell} (wake_up) VALUES (?)`,

  // Who holds a worker's lock is that worker's session, whatever became of the numbers of connections since.
  sleepers: `
      SELECT CAST(id AS CHAR) AS worker, CAST(IS_USED_LOCK(CONCAT(?, id)) AS CHAR) AS connection, CAST(queues AS CHAR) AS queues
      FROM ${worker}
      WHERE stopped_at IS NULL AND IS_USED_LOCK(CONCAT(?, id)) IS NOT NULL`,

  nap: 'SELECT SLEEP(?) AS slept',

  // The bell is looked at by the statement that sleeps: a call that comes before it is seen, one that comes after it
  // interrupts it, and none falls in between.
  sleep: (late: string): string =>
    `SELECT SLEEP(IF(EXISTS(SELECT 1 FROM ${bell} WHERE id > ? OR id IN (${late})), 0, ?)) AS slept, ${ONLY_READS} AS only_reads`,

  rung: (late: string): string => `SELECT 1 FROM ${bell} WHERE id > ? OR id IN (${late}) LIMIT 1`,

  heard: (late: string): string => `
      SELECT CAST(id AS CHAR) AS id, CAST(wake_up AS CHAR) AS wake_up FROM ${bell}
      WHERE id > ? OR id IN (${late})
      ORDER BY id`,

  lastRings: `
      SELECT CAST(id AS CHAR) AS id FROM (SELECT id FROM ${bell} ORDER BY id DESC LIMIT 100) AS last ORDER BY last.id`,

  findRings: (rings: string): string => `SELECT CAST(id AS CHAR) AS id FROM ${bell} WHERE id IN (${rings})`,

  // Refused where only some accounts may write, and this one may not. It locks nothing that anybody waits for.
  writes: `SELECT 1 FROM ${worker} WHERE id = ? FOR UPDATE SKIP LOCKED`,

  onlyReads: `SELECT ${ONLY_READS} AS only_reads`,

  // What others are still adding, or clear away as well, is skipped.
  pruneBell: `
      DELETE ${bell} FROM ${bell} JOIN (
        SELECT id FROM ${bell} FORCE INDEX (PRIMARY) WHERE id < ? ORDER BY id LIMIT 10000 FOR UPDATE SKIP LOCKED
      ) AS old USING (id)`,
});
