import type { AdaptedAnswer } from '@rowlock/core/driver';

/** What `mysql2` gives for a statement: rows, or the numbers of a statement without rows. */
export function mysqlResult(result: unknown): AdaptedAnswer {
  if (Array.isArray(result)) return { rows: result };
  const { affectedRows, insertId, serverStatus } = Object(result);
  return { affectedRows, insertId, serverStatus };
}
