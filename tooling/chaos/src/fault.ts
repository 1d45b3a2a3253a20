import type { Random } from './random.js';
import type { Stage } from './stage.js';
import type { DatabaseName } from './system.js';

/** What a stage must have for a fault. */
export type Need = 'proxies' | 'wrong clocks' | 'disk';

/** One kind of trouble. */
export interface Fault {
  readonly name: string;
  readonly needs: readonly Need[];
  /** Where it strikes: two faults at one place would undo each other's. `always`: the stage is set so, from begin to end. */
  readonly at: 'server' | 'workers' | 'always';
  /** How long it lasts in the bounded run, in seconds. */
  readonly seconds: number;
  /** Where it has no meaning, and why. */
  readonly not?: Partial<Record<DatabaseName, string>>;
  /** Begins to strike, choosing by `random` alone, until the returned function is called, which undoes what is left of it. */
  begin<Tx>(stage: Stage<Tx>, random: Random): Promise<() => Promise<void>>;
}
