import { createHash } from 'node:crypto';
import type { Timing } from '../driver/schedule-store.js';

/** How long after its instants a schedule fires: always the same for one name, and spread over the names. */
export function jitterOf(name: string, { jitterMs }: Timing): number {
  if (jitterMs === 0) return 0;
  return createHash('sha256').update(name).digest().readUInt32BE() % (jitterMs + 1);
}
