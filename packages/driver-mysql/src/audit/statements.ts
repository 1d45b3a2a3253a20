import { ms } from '../jobs/statements/columns.js';
import type { Tables } from '../schema/tables.js';

/** What operators have done. */
export const auditStatements = ({ audit }: Tables) => ({
  note: `INSERT INTO ${audit} (operator, action, scope, name, details) VALUES (?, ?, ?, ?, ?)`,

  noteAgain: `UPDATE ${audit} SET operator = ?, action = ?, scope = ?, name = ?, details = ? WHERE id = ?`,

  // Each value may be null. The server makes its plan with the values.
  list: `
      SELECT CAST(id AS CHAR) AS id, ${ms('noted_at')} AS at, operator, action, scope, name, CAST(details AS CHAR) AS details
      FROM ${audit}
      WHERE (? IS NULL OR operator = ?) AND (? IS NULL OR action = ?) AND (? IS NULL OR scope = ?) AND (? IS NULL OR name = ?)
        AND (? IS NULL OR id < ?)
      ORDER BY ${audit}.id DESC
      LIMIT ?`,

  prune: `
      DELETE audit FROM (
        SELECT id FROM (SELECT id, noted_at FROM ${audit} ORDER BY id LIMIT 1000) AS oldest
        WHERE noted_at <= UTC_TIMESTAMP(6) - INTERVAL ROUND(? * 1000) MICROSECOND
      ) AS old STRAIGHT_JOIN ${audit} AS audit FORCE INDEX (PRIMARY) ON audit.id = old.id`,
});
