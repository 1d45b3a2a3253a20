import type { Tables } from '../../schema/tables.js';
import { ONLY_READS } from './anchor.js';

/** The bell: its rings, and the sleep until it rings. */
export const bellStatements = ({ bell, worker }: Tables) => ({
  ring: `INSERT INTO ${bell} (wake_up) VALUES (?)`,

  // The session that holds a worker's lock is that worker's. An earlier connection's number may belong to another session by now.
  sleepers: `
      SELECT CAST(id AS CHAR) AS worker, CAST(IS_USED_LOCK(CONCAT(?, id)) AS CHAR) AS connection, CAST(queues AS CHAR) AS queues
      FROM ${worker}
      WHERE stopped_at IS NULL AND IS_USED_LOCK(CONCAT(?, id)) IS NOT NULL`,

  nap: 'SELECT SLEEP(?) AS slept',

  // The sleeping statement first reads the bell, and so finds an earlier ring. A later interruption ends the sleep.
  sleep: (late: string): string =>
    `SELECT SLEEP(IF(EXISTS(SELECT 1 FROM ${bell} WHERE id > ? OR id IN (${late})), 0, ?)) AS slept, ${ONLY_READS} AS only_reads`,

  rung: (late: string): string => `SELECT 1 FROM ${bell} WHERE id > ? OR id IN (${late}) LIMIT 1`,

  heard: (late: string): string => `
      SELECT CAST(id AS CHAR) AS id, CAST(wake_up AS CHAR) AS wake_up FROM ${bell}
      WHERE id > ? OR id IN (${late})`,

  lastRings: `
      SELECT CAST(id AS CHAR) AS id FROM (SELECT id FROM ${bell} ORDER BY id DESC LIMIT 100) AS last ORDER BY last.id`,

  findRings: (rings: string): string => `SELECT CAST(id AS CHAR) AS id FROM ${bell} WHERE id IN (${rings})`,

  // Fails where only some accounts may write, and this one may not. SKIP LOCKED: no other statement has to wait for its lock.
  writes: `SELECT 1 FROM ${worker} WHERE id = ? FOR UPDATE SKIP LOCKED`,

  onlyReads: `SELECT ${ONLY_READS} AS only_reads`,

  // Skips the rings that others are inserting or deleting.
  pruneBell: `
      DELETE bell FROM (
        SELECT id FROM ${bell} FORCE INDEX (PRIMARY) WHERE id < ? ORDER BY id LIMIT 10000 FOR UPDATE SKIP LOCKED
      ) AS old STRAIGHT_JOIN ${bell} AS bell FORCE INDEX (PRIMARY) ON bell.id = old.id`,
});
