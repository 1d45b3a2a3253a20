import { apart, type PrunedSlots, type Refused } from '@rowlock/core/driver';
import { callAtGate, type GateCallParts } from '../claims/limit-call.js';
import { query } from '../query.js';
import { gateOf } from '../workers/lock-name.js';

/** Deletes old slots that nobody has, of some limits. @returns the last limit, or null if none is behind it @throws DriverError */
export async function pruneSlots(parts: GateCallParts, beyond: string, ageMs: number): Promise<PrunedSlots> {
  const { sql, lockPrefix } = parts.context;
  const old = await query<{ name: string }>(parts.pool, sql.limits.oldSlots, [beyond, ageMs]);
  const refused: Refused<string>[] = [];
  for (const { name } of old) {
    const alone = await apart([name], () =>
      callAtGate(parts, sql.limits.pruneSlots, [name, ageMs, gateOf(lockPrefix, name)]),
    );
    refused.push(...alone.refused);
  }
  return { last: old.at(-1)?.name ?? null, refused };
}
