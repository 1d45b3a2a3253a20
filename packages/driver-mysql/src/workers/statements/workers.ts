import { SERVER } from '../../connection/session.js';
import { ms } from '../../jobs/statements/columns.js';
import type { Tables } from '../../schema/tables.js';
import { alive } from './anchor.js';

/** The server through which the worker writes now. */
const WRITTEN = `server = ${SERVER}, written_at = UTC_TIMESTAMP(6)`;

/** The workers' rows. */
export const workerStatements = ({ worker }: Tables) => ({
  lockWorker: (otherwise: string): string => `SELECT 1 FROM ${worker} WHERE id = ? FOR UPDATE ${otherwise}`,

  addWorker: `
      INSERT INTO ${worker} (id, name, host, pid, queues, schedules, kinds, concurrency, version, memory, server, written_at)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ${SERVER}, UTC_TIMESTAMP(6))`,

  // The worker's row may have been deleted.
  keepWorker: `
      INSERT INTO ${worker} (id, name, host, pid, queues, schedules, kinds, concurrency, version, memory, started_at, server, written_at)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, UTC_TIMESTAMP(6) - INTERVAL ROUND(? * 1000) MICROSECOND, ${SERVER}, UTC_TIMESTAMP(6))
      ON DUPLICATE KEY UPDATE ${WRITTEN}`,

  beat: `
      UPDATE ${worker} SET alive_until = UTC_TIMESTAMP(6) + INTERVAL ROUND(? * 1000) MICROSECOND, ${WRITTEN}
      WHERE id = ? AND stopped_at IS NULL`,

  showServer: `UPDATE ${worker} SET ${WRITTEN} WHERE id = ? AND stopped_at IS NULL`,

  // Compares rows, and not with the server of this statement: a proxy may send reads to another server than writes.
  otherWriters: `
      SELECT CAST(other.id AS CHAR) AS id, other.name, other.host, other.server, own.server AS own,
             CAST(other.written_at AS CHAR) AS written_at
      FROM ${worker} AS own STRAIGHT_JOIN ${worker} AS other ON other.server <> own.server
      WHERE own.id = ? AND other.stopped_at IS NULL AND other.written_at > UTC_TIMESTAMP(6) - INTERVAL 1 MINUTE`,

  // A worker writes every 5 s.
  writersElsewhere: `
      SELECT name, host, server, ${SERVER} AS own FROM ${worker}
      WHERE stopped_at IS NULL AND server <> ${SERVER} AND written_at > UTC_TIMESTAMP(6) - INTERVAL 15 SECOND ORDER BY id LIMIT 3`,

  // The report may come after the worker's end.
  reportLines: `UPDATE ${worker} SET \`lines\` = ? WHERE id = ? AND stopped_at IS NULL`,

  stopWorker: `UPDATE ${worker} SET stopped_at = UTC_TIMESTAMP(6), alive_until = NULL, \`lines\` = JSON_OBJECT(), running = JSON_ARRAY() WHERE id = ?`,

  aliveWorkers: `
      SELECT CAST(id AS CHAR) AS id, CAST(runs_since AS CHAR) AS runs_since FROM ${worker} AS worker WHERE ${alive('worker.id')}`,

  // The ids are chosen first: MySQL refuses to sort a row whose JSON is larger than the sort buffer.
  workers: `
      SELECT CAST(worker.id AS CHAR) AS id, name, host, pid, CAST(queues AS CHAR) AS queues, CAST(schedules AS CHAR) AS schedules, CAST(kinds AS CHAR) AS kinds,
             concurrency, version, CAST(memory AS CHAR) AS memory, CAST(\`lines\` AS CHAR) AS \`lines\`, CAST(running AS CHAR) AS running,
             CAST(${ms('started_at')} AS CHAR) AS started_at,
             CAST(stopped_at IS NULL AND ${alive('worker.id')} AS SIGNED) AS alive
      FROM (
        SELECT id FROM ${worker} AS worker
        WHERE COALESCE(stopped_at, started_at) > UTC_TIMESTAMP(6) - INTERVAL 1 HOUR
           OR (stopped_at IS NULL AND ${alive('worker.id')})
        ORDER BY worker.started_at DESC, worker.id
        LIMIT 1000
      ) AS newest STRAIGHT_JOIN ${worker} AS worker FORCE INDEX (PRIMARY) ON worker.id = newest.id`,

  // A live worker may be without its session for a moment. Workers that did not report their stop are therefore kept for a month.
  // A worker that comes back after that is added again.
  findGone: `
      SELECT CAST(id AS CHAR) AS id FROM ${worker} AS worker
      WHERE COALESCE(stopped_at, alive_until, started_at + INTERVAL 30 DAY) < UTC_TIMESTAMP(6) - INTERVAL 1 DAY
        AND NOT ${alive('worker.id')}
      ORDER BY worker.id
      LIMIT 1000`,

  // Checks again when the row is locked: a worker that comes back takes its user lock before it waits for the row.
  forgetWorkers: (given: string): string => `
      DELETE worker FROM ${given} STRAIGHT_JOIN ${worker} AS worker FORCE INDEX (PRIMARY) ON worker.id = given.id
      WHERE NOT ${alive('worker.id')}`,
});
