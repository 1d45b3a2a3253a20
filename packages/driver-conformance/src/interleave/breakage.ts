import type { Clock, Driver } from '@rowlock/core';
import type { Reader } from '../driver-harness.js';

/** What is broken on purpose, to see that it is found. */
export interface Breakage {
  readonly driver?: <Tx>(driver: Driver<Tx>, reader: Reader, queue: string) => Driver<Tx>;
  readonly clock?: (clock: Clock) => Clock;
}
