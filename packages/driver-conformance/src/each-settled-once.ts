import { expect } from 'vitest';
import type { JobRow } from './driver-harness.js';
import type { Stage } from './stage.js';

/**
 * Checks the runs' records: exactly one of each job's settled it for good, and it is the one its row names. No worker
 * that lives has left one open. Whose process died while a record was on its way may have written that late, behind all
 * other runs of the job: then nobody has come by to end it.
 */
export async function eachSettledOnce<Tx>(
  { reader, driver }: Stage<Tx>,
  rows: readonly JobRow[],
): Promise<void> {
  const living = new Set((await driver.workers.list()).filter(({ alive }) => alive).map(({ id }) => id));
  for (const { publicId, runId } of rows) {
    const records = await reader.runs(publicId);
    const final = records.filter(({ outcome }) => outcome === 'complete');
    expect(final.map((record) => record.runId)).toEqual([runId]);
    const open = records.filter(({ finishedAt }) => finishedAt === null);
    expect(open.filter(({ workerId }) => workerId !== null && living.has(workerId))).toEqual([]);
  }
}
