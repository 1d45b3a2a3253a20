import type { Break } from './broken-driver.js';
import type { Mode } from './mode.js';
import type { DatabaseName } from './system.js';

/** What a worker's process is started with, as JSON in its only argument. */
export interface WorkerOrders {
  readonly name: string;
  readonly database: DatabaseName;
  readonly url: string;
  readonly mode: Mode;
  /** The folder of the history. */
  readonly folder: string;
  readonly concurrency: number;
  /** By how many milliseconds its clock is wrong. */
  readonly clockMs: number;
  readonly broken: Break | null;
  /** Whether it runs the jobs of subjects too. */
  readonly subjects: boolean;
}

/** What the conductor tells a worker's process. The end of the channel means: stop. */
export type WorkerCommand = { readonly blockMs: number };
