import { newestRun, running } from '../../claims/statements/in-progress.js';
import type { Tables } from '../../schema/tables.js';
import { WITHIN } from '../../values/within.js';
import { alive } from '../../workers/statements/anchor.js';

/** A condition that an index answers, or that few rows meet. */
export interface Way {
  readonly by: string;
  /** Whether its index is in the order of the ids. If not, the order must not lead the planner to the primary key instead. */
  readonly isInOrder: boolean;
}

/** The order of a page's ids: newest or oldest first. */
export type Direction = 'DESC' | 'ASC';

/** A page of ids. */
export interface Selection {
  readonly ways: readonly Way[];
  readonly direction: Direction;
  /** The other conditions. */
  readonly also: string;
  /** The condition of `running`, where the conditions need its ids. Otherwise null. */
  readonly running: string | null;
  /** The placeholder of the number of rows. */
  readonly limit: string;
}

/** Ways, and parts of them. The jobs of a key are `kept` or `outstanding`. Written apart, each has a partial index. */
export const WAYS = {
  kept: "job.status IN ('complete', 'error', 'cancelled')",
  outstanding: "job.status IN ('new', 'in-progress')",
  error: "job.status = 'error'",
  cancelled: "job.status = 'cancelled'",
  all: 'true',
} as const;

/** The jobs that run. Not a join: for one the planner would scan all jobs in the order of their ids. */
const RUNNING = (job: string): string =>
  `job.id = ANY(ARRAY(SELECT id FROM running UNION ALL SELECT id FROM ${job} WHERE status = 'in-progress'))`;

/** Ways to the outstanding jobs, by the partial indexes that have all of them. */
export const OUTSTANDING_PARTS = [
  "job.status = 'new' AND job.due AND job.limits = ''",
  "job.status = 'new' AND job.due AND job.limits <> ''",
  "job.status = 'new' AND NOT job.due",
  "job.status = 'in-progress'",
] as const;

/** The statements that look for jobs by a filter. */
export const selectionStatements = (tables: Tables) => {
  const { job, worker } = tables;

  const page = (
    { ways, direction, also, limit }: Omit<Selection, 'running'>,
    spellOrder: (id: string) => string = (id) => `ORDER BY ${id} ${direction}`,
  ): string => {
    const each = ways.map(
      ({ by, isInOrder }) => `
        (SELECT job.id FROM ${job} AS job
        WHERE ${by} AND ${also} ${WITHIN}
        ${spellOrder(isInOrder ? 'job.id' : 'job.id + 0')} LIMIT ${limit})`,
    );
    return each.length === 1
      ? each.join('')
      : `SELECT id FROM (${each.join(' UNION ALL ')}) AS ways ${spellOrder('id')} LIMIT ${limit}`;
  };

  /** $1 is the class of the anchors' locks. The ids are chosen first: rows that carry JSON would be sorted. */
  const selected = (selection: Selection, ids = page(selection)): string => `
      WITH ${alive(tables)}${selection.running === null ? '' : `, ${running(tables, selection.running)}`},
      page AS MATERIALIZED (${ids})`;

  return {
    /** A way to the jobs that run. */
    running: RUNNING(job),

    list: (selection: Selection): string => `${selected(selection)}
      SELECT json_build_object(
               'id', job.id::text, 'public_id', public_id, 'queue', queue, 'kind', kind, 'key', key, 'payload', payload,
               'priority', priority, 'attempt', attempt, 'max_attempts', max_attempts, 'crashes', crashes,
               'redrives', redrives, 'metadata', metadata, 'limits', limits, 'unique_key', unique_key, 'output', output,
               'error', job.error, 'created_by', created_by, 'started_by', started_by, 'finished_by', finished_by,
               'status', CASE WHEN held THEN 'in-progress' ELSE status END,
               'process_id', CASE WHEN held THEN last.process_id ELSE job.process_id END,
               'worker', CASE WHEN held THEN worker.name END,
               'progress', last.progress,
               'created_at', extract(epoch FROM created_at) * 1000,
               'available_at', extract(epoch FROM available_at) * 1000,
               'started_at', extract(epoch FROM CASE WHEN held THEN last.started_at ELSE job.started_at END) * 1000,
               'finished_at', extract(epoch FROM job.finished_at) * 1000)::text AS answer
      FROM page JOIN ${job} AS job ON job.id = page.id
      ${newestRun(tables)}
      LEFT JOIN ${worker} AS worker ON worker.id = last.worker_id
      ORDER BY page.id ${selection.direction}`,

    // Milliseconds are rounded down: a job never counts as older than it is.
    listEntries: (selection: Selection): string => `${selected(selection)}
      SELECT json_build_object(
               'id', job.id::text, 'publicId', public_id, 'queue', queue, 'status', status,
               'createdMs', floor(extract(epoch FROM statement_timestamp() - created_at) * 1000),
               'settledMs', floor(extract(epoch FROM statement_timestamp() - finished_at) * 1000))::text AS answer
      FROM page JOIN ${job} AS job ON job.id = page.id
      ORDER BY page.id ${selection.direction}`,

    // In no order: a count reads no more than it counts.
    count: (selection: Selection): string => `${selected(
      selection,
      page(selection, () => ''),
    )}
      SELECT count(*)::text AS answer FROM page`,

    /** How many rows there are to look at, up to the limit, and the last of them. */
    lookEnd: (looked: Omit<Selection, 'running'>): string => `
      WITH page AS MATERIALIZED (${page(looked)})
      SELECT json_build_array(count(*), ${looked.direction === 'DESC' ? 'min' : 'max'}(id)::text)::text AS answer FROM page`,

    /** How many outstanding jobs there are, up to $1. @param also A condition, or `true`. */
    countOutstanding: (also: string): string => `
      SELECT count(*)::text AS answer FROM (
        SELECT FROM (${OUTSTANDING_PARTS.map(
          (part) => `
          (SELECT FROM ${job} AS job WHERE ${part} AND ${also} ${WITHIN} LIMIT $1::bigint)`,
        ).join(' UNION ALL ')}) AS parts LIMIT $1::bigint) AS few`,
  };
};
