import type { Tables } from '../../schema/tables.js';
import { WITHIN } from '../../values/within.js';
import { notifying, rung } from '../../workers/statements/bell.js';
import { AFTER_JOBS } from '../given.js';

/** Whether a job keeps others from its unique key. Other conflicts are errors: an id that is taken says that the ids are behind. */
const HOLDS_KEY = "(unique_scope = 'ever' OR status IN ('new', 'in-progress'))";

/** The facts that an enqueue's text depends on. */
export interface EnqueueShape {
  /** The jobs, as a table. */
  readonly given: string;
  /** Whether any of them has a unique key. */
  readonly unique: boolean;
  /** Whether the statement wakes workers: two values, the channel and an array, come behind those of the jobs. */
  readonly wakes: boolean;
}

/** The statements that insert jobs, and find those that exist already. */
export const enqueueStatements = (tables: Tables) => ({
  // One statement inserts one job or thousands. ON CONFLICT DO NOTHING does not wait for a claim's row lock.
  // DO UPDATE would wait for the whole handler. Without a unique key nothing can conflict, and thousands take a fifth less.
  // COPY took as long as arrays do.
  enqueue: ({ given, unique, wakes }: EnqueueShape): string => {
    const insert = `
      INSERT INTO ${tables.job} (public_id, queue, kind, key, payload, priority, available_at, due, max_attempts,
                          unique_key, unique_scope, metadata, created_by, limits)
      SELECT public_id, queue, kind, key, payload, priority,
             coalesce(to_timestamp(available_at / 1000), clock_timestamp() + delay * interval '1 ms'),
             coalesce(to_timestamp(available_at / 1000) <= clock_timestamp(), delay = 0),
             max_attempts, unique_key, coalesce(unique_scope, 'outstanding'), metadata, created_by, limits
      FROM ${given}
      WHERE true ${WITHIN}
      ORDER BY place
      ${unique ? `ON CONFLICT (kind, unique_key) WHERE unique_key IS NOT NULL AND ${HOLDS_KEY} DO NOTHING` : ''}`;
    if (!wakes) return unique ? `${insert} RETURNING public_id::text AS answer` : insert;
    const [channel, wakeUps] = [`$${AFTER_JOBS}`, `$${AFTER_JOBS + 1}`];
    // The subquery runs once, at the first row. Workers get the notification when the insert is committed.
    return `
      WITH inserted AS (${insert} RETURNING public_id),
      ${rung(tables, wakeUps, 'EXISTS (SELECT FROM inserted)')}
      SELECT public_id::text AS answer,
             (SELECT count(notified) FROM (SELECT ${notifying(channel, wakeUps)}) AS sent (notified))
      FROM inserted
      ${unique ? '' : 'LIMIT 1'}`;
  },

  // How long the statements of this transaction wait for a lock. Returns no row.
  boundWaits: "SELECT WHERE set_config('lock_timeout', $1, true) IS NULL",

  findDuplicates: `
      SELECT json_build_array(given.place, found.public_id)::text AS answer
      FROM unnest($1::text[], $2::text[]) WITH ORDINALITY AS given (kind, unique_key, place)
      JOIN ${tables.job} AS found ON found.kind = given.kind AND found.unique_key = given.unique_key
       AND (found.unique_scope = 'ever' OR found.status IN ('new', 'in-progress'))
      WHERE true ${WITHIN}`,
});
