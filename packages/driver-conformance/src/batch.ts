import type { Driver } from '@rowlock/core';
import type { NewJob } from '@rowlock/core/driver';
import type { JobRow } from './driver-harness.js';
import { instead } from './instead.js';
import { slowClock } from './slow-clock.js';
import type { Stage } from './stage.js';
import { type Gate, gate } from './until.js';

/** A slot's claims begin with one job, and each may take twice as many as the one before: after so many the next takes `BATCH`. */
export const BEFORE = 7;
export const BATCH = 8;

/** One slot, which has all the time it needs to begin the runs of a batch. */
export const ONE_SLOT = { concurrency: 1, clock: slowClock } as const;

/** Puts jobs, of which a slot takes the last ones in one batch. Returns the rows of those; their payloads are their places. */
export async function putBatch<Tx>(
  { putMany }: Stage<Tx>,
  change: (place: number) => Partial<NewJob> = () => ({}),
): Promise<readonly JobRow[]> {
  const before = Array.from({ length: BEFORE }, () => ({ payload: null }));
  const batch = Array.from({ length: BATCH }, (_, place) => ({ payload: place, ...change(place) }));
  return (await putMany([...before, ...batch])).slice(BEFORE);
}

/** Where the runs of a batch wait until all of them are there: those that were not begun together would wait in vain. */
export class Meeting {
  readonly #all: Gate = gate();
  readonly #size: number;
  #here = 0;

  constructor(size = BATCH) {
    this.#size = size;
  }

  get isComplete(): Promise<void> {
    return this.#all.promise;
  }

  join(): Promise<void> {
    this.#here += 1;
    if (this.#here === this.#size) this.#all.open();
    return this.#all.promise;
  }
}

/** How many jobs have shared a transaction, seen between a worker and its driver. */
export class Sizes {
  largest = 0;
  readonly #shared: Gate = gate();

  /** Resolves when some share one. */
  get isShared(): Promise<void> {
    return this.#shared.promise;
  }

  readonly of = <Tx>(driver: Driver<Tx>): Driver<Tx> =>
    instead(driver, {
      claims: {
        startRuns: (runs, crashed) => {
          this.largest = Math.max(this.largest, ...runs.map(({ jobs }) => jobs.length));
          if (this.largest > 1) this.#shared.open();
          return driver.claims.startRuns(runs, crashed);
        },
      },
    });
}
