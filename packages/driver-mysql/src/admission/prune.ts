import { callAtGate, type GateCallParts } from '../claims/limit-call.js';
import { query } from '../query.js';
import { gateOf } from '../workers/lock-name.js';

/** Deletes old slots that nobody has, of some limits. @returns the last limit, or null if none is behind it @throws DriverError */
export async function pruneSlots(
  parts: GateCallParts,
  beyond: string,
  ageMs: number,
): Promise<string | null> {
  const { sql, lockPrefix } = parts.context;
  const old = await query<{ name: string }>(parts.pool, sql.limits.oldSlots, [beyond, ageMs]);
  for (const { name } of old)
    await callAtGate(parts, sql.limits.pruneSlots, [name, ageMs, gateOf(lockPrefix, name)]);
  return old.at(-1)?.name ?? null;
}
