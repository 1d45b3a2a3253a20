import { ms } from './columns.js';
import type { Tables } from './tables.js';

/** The starts of rates, and the numbers that were set at run time. See migrations/0003_limits.sql. */
export const rateStatements = ({ rate, rateNumbers, takeStarts }: Tables) => ({
  takeStarts: `CALL ${takeStarts}(?, ?)`,

  addRate: `INSERT INTO ${rate} (name) VALUES (?) ON DUPLICATE KEY UPDATE name = VALUES(name)`,

  // Another start since then has counted its pauses from this one.
  giveBackStart: `UPDATE ${rate} SET next_at = before_take, last_take = NULL WHERE name = ? AND last_take = ?`,

  setRate: `
      INSERT INTO ${rateNumbers} (name, starts, per_ms, burst, set_by) VALUES (?, ?, ?, ?, ?)
      ON DUPLICATE KEY UPDATE starts = VALUES(starts), per_ms = VALUES(per_ms), burst = VALUES(burst),
        set_at = UTC_TIMESTAMP(6), set_by = VALUES(set_by)`,

  unsetRate: `DELETE FROM ${rateNumbers} WHERE name = ?`,

  rates: `
      SELECT name, starts, CAST(per_ms AS CHAR) AS per_ms, burst, CAST(${ms('set_at')} AS CHAR) AS set_at, set_by
      FROM ${rateNumbers} ORDER BY name LIMIT 1000`,
});
