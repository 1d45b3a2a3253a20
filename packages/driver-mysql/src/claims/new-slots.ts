import { gateOf } from '../workers/lock-name.js';
import { callAtGate, type GateCallParts } from './limit-call.js';

/** A limit without a free slot that has room for more. */
export interface ShortLimit {
  readonly name: string;
  /** What the taker says. It counts unless another size was set. */
  readonly max: number;
  /** How many slots the taker has counted. */
  readonly slots: number;
}

/** Makes room in a limit. @throws DriverError */
export type Widen = (limit: ShortLimit) => Promise<void>;

/** On a connection of the pool, so that the slots are visible to all takers at once. @throws DriverError */
export async function widenLimit(parts: GateCallParts, { name, max, slots }: ShortLimit): Promise<void> {
  const { sql, lockPrefix } = parts.context;
  await callAtGate(parts, sql.limits.widenLimit, [name, max, gateOf(lockPrefix, name), slots]);
}
