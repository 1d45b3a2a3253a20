import type { Lane, Tally } from './statistics.js';

/** Which counts of workers to add up. */
export interface TrendQuestion {
  /** How many minutes back, besides this one. */
  readonly minutes: number;
  /** How many minutes are one sum. */
  readonly step: number;
  /** Null: all queues. */
  readonly queue: string | null;
}

/** The counts of some minutes. */
export interface TallyStep extends Omit<Tally, keyof Lane | 'runs'> {
  /** When it begins: a whole number of steps since 1970. */
  readonly at: Date;
}

export interface Tallies {
  /** The database's clock. */
  readonly now: Date;
  /** In order. A step without a count is missing. */
  readonly steps: readonly TallyStep[];
}
