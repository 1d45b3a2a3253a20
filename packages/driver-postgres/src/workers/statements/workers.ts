import type { Tables } from '../../schema/tables.js';
import { alive } from './anchor.js';

/** The workers, by their own reports. */
export const workerStatements = (tables: Tables) => {
  const { worker } = tables;
  return {
    lockWorker: (clause: string): string => `SELECT 1 FROM ${worker} WHERE id = $1 ${clause}`,

    addWorker: `
      INSERT INTO ${worker} (id, name, host, pid, queues, schedules, kinds, concurrency, version, memory)
      VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10) ON CONFLICT DO NOTHING RETURNING id`,

    // Writes nothing unless the worker's row was deleted.
    keepWorker: `
      INSERT INTO ${worker} (id, name, host, pid, queues, schedules, kinds, concurrency, version, memory, started_at)
      VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, clock_timestamp() - $11 * interval '1 ms')
      ON CONFLICT DO NOTHING`,

    // Commits without a flush: a beat has no use after a power cut.
    beat: `
      UPDATE ${worker} SET alive_until = clock_timestamp() + $2 * interval '1 ms'
      WHERE id = $1 AND stopped_at IS NULL
      RETURNING set_config('synchronous_commit', 'off', true)`,

    // Commits without a flush too, as a flush would delay the jobs' commits. The report may come behind the worker's end.
    reportLines: `
      UPDATE ${worker} SET lines = $2 WHERE id = $1 AND stopped_at IS NULL
      RETURNING set_config('synchronous_commit', 'off', true)`,

    stopWorker: `UPDATE ${worker} SET stopped_at = clock_timestamp(), alive_until = NULL, lines = '{}', running = '[]' WHERE id = $1`,

    workers: `
      WITH ${alive(tables)}
      SELECT id, name, host, pid, to_jsonb(queues) AS queues, to_jsonb(schedules) AS schedules, kinds, concurrency, version, memory::float8 AS memory, lines, running,
             extract(epoch FROM started_at) * 1000 AS started_at,
             id IN (SELECT id FROM alive) AS alive
      FROM ${worker} AS worker
      WHERE id IN (SELECT id FROM alive)
         OR coalesce(stopped_at, started_at) > clock_timestamp() - interval '1 hour'
      ORDER BY worker.started_at DESC, id
      LIMIT 1000`,

    // A live worker may be without its session for a moment. Workers that did not report their stop are therefore kept for a month.
    // A worker that comes back after that is added again.
    forgetWorkers: `
      WITH ${alive(tables)}
      DELETE FROM ${worker} WHERE id = ANY(ARRAY(
        SELECT id FROM ${worker}
        WHERE coalesce(stopped_at, alive_until, started_at + interval '30 days') < statement_timestamp() - interval '1 day'
          AND id NOT IN (SELECT id FROM alive)
        ORDER BY id
        LIMIT 1000
        FOR UPDATE SKIP LOCKED
      ))`,
  };
};
