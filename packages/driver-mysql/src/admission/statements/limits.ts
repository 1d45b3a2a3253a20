import type { Tables } from '../../schema/tables.js';

/** The slots of limits, and the numbers that were set at run time. See migrations/0003_limits.sql. */
export const limitStatements = ({
  slot,
  setting,
  enterLimit,
  widenLimit,
  pruneSlots,
  limitedParts,
}: Tables) => ({
  enterLimit: `CALL ${enterLimit}(?, ?, ?)`,

  limitedParts: `CALL ${limitedParts}(?, ?, ?, ?)`,

  oldSlots: `
      SELECT name FROM ${slot} AS slot FORCE INDEX (PRIMARY)
      WHERE name > ? AND made_at <= UTC_TIMESTAMP(6) - INTERVAL ROUND(? * 1000) MICROSECOND
        AND NOT EXISTS (SELECT 1 FROM ${setting} AS fixed WHERE fixed.name = slot.name AND fixed.max IS NOT NULL)
      GROUP BY name
      ORDER BY name
      LIMIT 100`,

  pruneSlots: `CALL ${pruneSlots}(?, ?, ?)`,

  widenLimit: `CALL ${widenLimit}(?, ?, ?, ?)`,

  // The rows are locked already.
  markSlots: (taken: string): string => `
      UPDATE ${taken} STRAIGHT_JOIN ${slot} AS slot FORCE INDEX (PRIMARY) ON slot.name = taken.name AND slot.n = taken.n
      SET slot.run_id = ?, slot.leased_until = UTC_TIMESTAMP(6) + INTERVAL ROUND(? * 1000) MICROSECOND`,

  // Finds the slots without a lock. No slot of a run is locked by others for long. LIMIT lets the server not merge the tables.
  leaveLimits: (runs: string): string => `
      UPDATE (SELECT name, n, run_id FROM ${slot} FORCE INDEX (slot_run) WHERE run_id IN (${runs}) LIMIT 100000) AS mark
      STRAIGHT_JOIN ${slot} AS slot FORCE INDEX (PRIMARY) ON slot.name = mark.name AND slot.n = mark.n AND slot.run_id = mark.run_id
      SET slot.run_id = NULL, slot.leased_until = NULL`,

  setLimit: `
      INSERT INTO ${setting} (name, max, starts, per_ms, burst, set_by) VALUES (?, ?, ?, ?, ?, ?)
      ON DUPLICATE KEY UPDATE max = VALUES(max), starts = VALUES(starts), per_ms = VALUES(per_ms), burst = VALUES(burst),
        set_at = UTC_TIMESTAMP(6), set_by = VALUES(set_by)`,

  lockLimit: `SELECT 1 FROM ${setting} WHERE name = ? FOR UPDATE NOWAIT`,

  unsetLimit: `DELETE FROM ${setting} WHERE name = ?`,
});
