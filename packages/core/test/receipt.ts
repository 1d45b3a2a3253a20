import type { Receipt, RunsStarted } from '../src/driver.js';

/** What a database answers to runs that begin, where it has no record of earlier ones. */
export const NO_EARLIER_RUNS: RunsStarted = { earlier: [], unfinished: [] };

/** A write that is visible with this value, and durable when `flush` says so: at once, unless it is given. */
export function receipt<Value>(
  value: Value | Promise<Value>,
  flush: () => Promise<void> = async () => {},
): Receipt<Value> {
  return { visible: Promise.resolve(value), durable: flush };
}
