import { randomInt } from 'node:crypto';

/** The ids of workers have 31 bits: those of Postgres's locks have no more. */
const END = 2 ** 31 - 1;

/**
 * An id for a new worker. It is random, because a counter may begin anew while workers live: after a TRUNCATE, or after
 * a restore. A row that has the id already is refused by the table.
 */
export function newWorkerId(): number {
  return randomInt(1, END);
}
