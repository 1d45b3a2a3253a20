import type { ConnectionPool, Crew } from '../../driver/connection-pool.js';
import type { Driver } from '../../driver/driver.js';
import type { ConnectionLimit } from '../../driver/schema.js';
import { PoolTooSmallError } from '../../errors.js';

type Pooled = Pick<Driver, 'pool'>;

/**
 * For short statements, such as the one that writes a run's record. Statements run one after the other, so one
 * connection is enough.
 */
const BESIDE = 1;

/** A worker with one run: its session, the run, and the short statements. */
const LEAST = 3;

/**
 * Reserves the connections of a worker: one for each run, one for short statements, and its session. The session is not
 * the pool's. All workers on the pool count, of whichever driver.
 *
 * @returns gives them back, and may be called twice
 * @throws PoolTooSmallError when runs would wait for a connection that only other runs could free
 */
export function reserve({ pool }: Pooled, concurrency: number): () => void {
  if (pool === null) return () => {};
  const together = pool.crew.concurrency + concurrency;
  if (pool.most < together + BESIDE) throw poolTooSmall(pool, concurrency);
  const leave = pool.join(concurrency);
  let isOver = false;
  return () => {
    if (!isOver) leave();
    isOver = true;
  };
}

function poolTooSmall({ most, crew }: ConnectionPool, concurrency: number): PoolTooSmallError {
  const together = crew.concurrency + concurrency;
  const others = crew.workers === 0 ? '' : `, ${crew.concurrency} of it in other workers on the same pool,`;
  return new PoolTooSmallError(
    `A concurrency of ${together}${others} needs ${together + BESIDE} connections, and the pool allows ${most}. Raise the driver's maxConnections, or the max of the pool that it was given. Or lower the concurrency, or give each driver a pool of its own.`,
  );
}

/**
 * Warnings for limits that are likely too low for the workers that have reserved, one sentence each.
 *
 * @throws PoolTooSmallError when a limit of the server is too low for any worker
 */
export function shortages({ pool }: Pooled, limits: readonly ConnectionLimit[]): readonly string[] {
  if (pool === null) return [];
  const { crew, most, isApplications } = pool;
  const pooled = crew.concurrency + BESIDE;
  const found: string[] = [];
  if (isApplications && most === pooled) {
    found.push(
      `The pool allows ${most} connections, and a concurrency of ${crew.concurrency} takes up to ${pooled}: nothing is left for the application that shares it. Raise the pool's max, or give the driver a pool of its own.`,
    );
  }
  for (const limit of limits) {
    if (limit.most < LEAST) throw tooLow(limit);
    if (limit.most - limit.used < pooled + crew.workers) found.push(lowLimit(limit, crew));
  }
  return found;
}

function tooLow({ name, most }: ConnectionLimit): PoolTooSmallError {
  return new PoolTooSmallError(
    `A worker needs ${LEAST} connections or more, and ${name} is ${most}. Raise it.`,
  );
}

function lowLimit({ name, most, used }: ConnectionLimit, { concurrency, workers }: Crew): string {
  const needed = concurrency + BESIDE + workers;
  return `A concurrency of ${concurrency} takes up to ${needed} connections. The limit is lower: ${name} is ${most}, and ${used} are in use by others. Fewer runs go on at once. Raise the limit, or lower the concurrency.`;
}
