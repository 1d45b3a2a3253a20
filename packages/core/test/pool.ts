import type { ConnectionPool, Crew } from '../src/driver/connection-pool.js';

/** A pool of so many connections, of which nobody takes one. */
export function poolOf(most: number, isApplications = false): ConnectionPool {
  let crew: Crew = { workers: 0, concurrency: 0 };
  const count = (workers: number, concurrency: number): void => {
    crew = { workers: crew.workers + workers, concurrency: crew.concurrency + concurrency };
  };
  return {
    most,
    isApplications,
    get crew() {
      return crew;
    },
    join(concurrency) {
      count(1, concurrency);
      return () => count(-1, -concurrency);
    },
    onShortage: () => () => {},
  };
}
