import { SETTLED } from '@rowlock/core';
import type { JobRow } from './driver-harness.js';
import type { Stage } from './stage.js';
import { until } from './until.js';

/** Waits until every job of the test's queue is settled, and returns their rows. */
export function allSettled<Tx>({ reader, queue }: Stage<Tx>): Promise<readonly JobRow[]> {
  const settled: ReadonlySet<string> = new Set(SETTLED);
  return until('every job is settled', async () => {
    const rows = await reader.jobs(queue);
    return rows.length > 0 && rows.every(({ status }) => settled.has(status)) && rows;
  });
}
