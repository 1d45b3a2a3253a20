import type { CapturePlan } from '@rowlock/core/driver';
import type { Context } from '../context.js';
import { literal } from '../literal.js';
import { tables } from '../schema/tables.js';

/** Inserts the rows of a query into the job table. Columns that are left out have their defaults, as in an enqueue. */
export function insertJobs({ schema }: Pick<Context, 'schema'>, select: string): string {
  return `INSERT INTO ${tables(schema).job} (queue, kind, key, payload, priority, max_attempts, limits, created_by)
      ${select}`;
}

/** The values of a row of the job table. @param members Of the payload. */
export function jobRow(
  { name, job }: CapturePlan,
  key: string,
  members: string,
  priority = String(job.priority),
): string {
  return `${literal(job.queue)}, ${literal(job.kind)}, ${key},
        jsonb_build_object('capture', ${literal(name)}, ${members}),
        ${priority}, ${job.maxAttempts}, ${literal(job.limits)}, ${literal(`capture ${name}`)}`;
}
