import type { Limit } from '@rowlock/core';
import type { WakeUp } from '@rowlock/core/driver';
import type { TestDatabase } from '../driver-harness.js';
import type { Actor } from './actor.js';
import type { Breakage } from './breakage.js';
import type { Witness } from './witness.js';

/** What a play gives to each of its actors. */
export interface Surroundings<Tx> {
  readonly database: TestDatabase<Tx>;
  readonly queue: string;
  readonly witness: Witness;
  readonly breakage: Breakage;
  /** Wakes all workers. */
  wakes(wakeUps: readonly WakeUp[]): void;
  /** What came of an actor's step. */
  came(actor: Actor, outcome: string): void;
}

/** The name of the limit of a play's jobs. */
export function limitOf(queue: string, max: number): { readonly limit: Limit } {
  return { limit: { name: `limit of ${queue}`, max } };
}

/** The queue of jobs that are apart from the others. */
export function apartFrom(queue: string): string {
  return `${queue}-apart`;
}
