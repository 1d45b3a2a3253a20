import { SETTLED } from '@rowlock/core/driver';
import type { JobRow } from './driver-harness.js';
import type { Stage } from './stage.js';
import { LOAD_GUARD_MS, until } from './until.js';

/** Waits until every job of the test's queue is settled, and returns their rows. */
export function allSettled<Tx>({ reader, queue }: Stage<Tx>): Promise<readonly JobRow[]> {
  const settled: ReadonlySet<string> = new Set(SETTLED);
  const look = async () => {
    const rows = await reader.jobs(queue);
    return rows.length > 0 && rows.every(({ status }) => settled.has(status)) && rows;
  };
  return until('every job is settled', look, LOAD_GUARD_MS);
}
