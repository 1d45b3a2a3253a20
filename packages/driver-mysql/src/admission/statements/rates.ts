import type { Tables } from '../../schema/tables.js';

/** The starts of limits. See migrations/0003_limits.sql. */
export const rateStatements = ({ rate, takeStarts }: Tables) => ({
  takeStarts: `CALL ${takeStarts}(?, ?)`,

  addRate: `INSERT INTO ${rate} (name) VALUES (?) ON DUPLICATE KEY UPDATE name = VALUES(name)`,

  // Another start since then has counted its pauses from this one.
  giveBackStart: `UPDATE ${rate} SET next_at = before_take, last_take = NULL WHERE name = ? AND last_take = ?`,
});
