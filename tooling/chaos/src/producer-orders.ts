import type { Mode } from './mode.js';
import type { DatabaseName } from './system.js';

/** What a producer's process is started with, as JSON in its only argument. */
export interface ProducerOrders {
  readonly database: DatabaseName;
  /** Straight to the server, and by the way that faults may cut. */
  readonly url: string;
  readonly loadUrl: string;
  readonly modes: readonly Mode[];
  /** The folder of the history. */
  readonly folder: string;
  readonly seed: number;
  /** Jobs a second and mode. */
  readonly rate: number;
  readonly workMs: readonly [number, number];
}
