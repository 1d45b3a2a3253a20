import type { DatabaseName } from '../system.js';
import type { BrokenFiring } from './broken-firing.js';
import type { SimulatedTime } from './simulated-time.js';

/** What a process that fires is started with, as JSON in its only argument. */
export interface FiringOrders {
  readonly name: string;
  readonly database: DatabaseName;
  readonly url: string;
  /** Null for those that are there before it begins: they get it as a message. */
  readonly time: SimulatedTime | null;
  /** Of its code. */
  readonly version: number;
  readonly broken: BrokenFiring | null;
}
