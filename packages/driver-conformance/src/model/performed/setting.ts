import type { Driver } from '@rowlock/core';
import type { DriverProcess, TestDatabase } from '../../driver-harness.js';
import type { Actor } from '../parts.js';

/** The table that handlers write to. */
export const EFFECTS = 'model_effect';

/** Keeps the processes of one database from one sequence to the next. */
export interface Setting<Tx> {
  readonly database: TestDatabase<Tx>;
  readonly processes: Map<Actor, DriverProcess<Tx>>;
  /** What is put in the driver's place. */
  broken(driver: Driver<Tx>): Driver<Tx>;
}
