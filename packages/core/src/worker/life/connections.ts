import type { Driver } from '../../driver/driver.js';
import { PoolTooSmallError } from '../../errors.js';

/** The workers that share a driver and its connections. */
interface Crew {
  workers: number;
  /** The most runs of all workers at once. */
  concurrency: number;
}

type Capable = Pick<Driver, 'capabilities'>;

const crews = new WeakMap<Capable, Crew>();

/**
 * For short statements, such as the one that writes a run's record. Statements run one after the other, so one
 * connection is enough.
 */
const BESIDE = 1;

/**
 * Reserves the connections of a worker: one for each run, one for short statements, and its session. The session is not
 * the pool's.
 *
 * @returns gives them back
 * @throws PoolTooSmallError when runs would wait for a connection that only other runs could free
 */
export function reserve(driver: Capable, concurrency: number): () => void {
  const { maxConnections } = driver.capabilities;
  const crew = crews.get(driver) ?? { workers: 0, concurrency: 0 };
  const together = crew.concurrency + concurrency;
  if (maxConnections !== null && maxConnections < together + BESIDE) {
    throw new PoolTooSmallError(together, together + BESIDE, maxConnections);
  }
  crews.set(driver, crew);
  crew.workers += 1;
  crew.concurrency = together;
  return () => {
    crew.workers -= 1;
    crew.concurrency -= concurrency;
  };
}

/** Warnings for limits that are likely too low for the workers that have reserved, one sentence each. */
export function shortages(driver: Capable, serverConnections: number | null): readonly string[] {
  const { maxConnections, sharesPool } = driver.capabilities;
  const { workers, concurrency } = crews.get(driver) ?? { workers: 0, concurrency: 0 };
  const pooled = concurrency + BESIDE;
  const open = pooled + workers;
  const found: string[] = [];
  if (sharesPool && maxConnections === pooled) {
    found.push(
      `The pool allows ${maxConnections} connections, and a concurrency of ${concurrency} takes up to ${pooled}: nothing is left for the application that shares it. Raise the pool's max, or give the driver a pool of its own.`,
    );
  }
  if (serverConnections !== null && serverConnections < open) {
    found.push(
      `The server lets in ${serverConnections} connections, and a concurrency of ${concurrency} takes up to ${open}. Raise its max_connections or lower the concurrency.`,
    );
  }
  return found;
}
