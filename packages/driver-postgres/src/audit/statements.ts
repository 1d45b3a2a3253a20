import type { Tables } from '../schema/tables.js';
import { WITHIN } from '../values/within.js';

/** What operators have done. */
export const auditStatements = ({ audit }: Tables) => ({
  note: `
      WITH noted AS (
        INSERT INTO ${audit} (operator, action, scope, name, details)
        SELECT $1::text, $2::text, $3::text, $4::text, $5::jsonb WHERE true ${WITHIN}
        RETURNING id
      )
      SELECT to_json(id::text)::text AS answer FROM noted`,

  noteAgain: `
      WITH noted AS (
        UPDATE ${audit} SET operator = $1::text, action = $2::text, scope = $3::text, name = $4::text, details = $5::jsonb
        WHERE id = $6::bigint ${WITHIN} RETURNING id
      )
      SELECT to_json(id::text)::text AS answer FROM noted`,

  // Each value may be null. The server plans the statement with the values, so a condition without one costs nothing.
  list: `
      SELECT json_build_object('id', id::text, 'at', extract(epoch FROM noted_at) * 1000, 'by', operator, 'action', action,
                               'scope', scope, 'name', name, 'details', details)::text AS answer
      FROM ${audit}
      WHERE ($1::text IS NULL OR operator = $1::text) AND ($2::text IS NULL OR action = $2::text)
        AND ($3::text IS NULL OR scope = $3::text) AND ($4::text IS NULL OR name = $4::text)
        AND ($5::bigint IS NULL OR id < $5::bigint)
      ORDER BY id DESC
      LIMIT $6::integer`,

  prune: `
      WITH oldest AS (
        SELECT id, noted_at FROM ${audit} ORDER BY id LIMIT 1000
      ), pruned AS (
        DELETE FROM ${audit} WHERE id IN (
          SELECT id FROM oldest WHERE noted_at <= statement_timestamp() - $1::float8 * interval '1 ms')
        RETURNING id
      )
      SELECT count(*) AS pruned FROM pruned`,
});
