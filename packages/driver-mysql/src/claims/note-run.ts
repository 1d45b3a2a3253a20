import type { Json } from '@rowlock/core';
import { type RunRef, storableJson } from '@rowlock/core/driver';
import { rangeOf } from '@rowlock/sql-drivers';
import { recordsOf } from '../jobs/given-rows.js';
import { change, type MysqlTransaction, query } from '../query.js';
import type { Statements } from '../statements.js';
import { inParts, list } from '../values/list.js';

/** Writes to the records of a run. A run in one row first gets records for these jobs. @throws DriverError */
export async function noteRun(
  on: MysqlTransaction,
  sql: Statements,
  { runId, jobs }: RunRef,
  progress: Json,
): Promise<void> {
  const note = async (): Promise<number> => {
    let noted = 0;
    for (const part of inParts(jobs)) {
      const wanted = list(part);
      const values = [storableJson(progress), ...wanted.values, runId];
      noted += (await change(on, sql.runs.noteProgress(wanted.places), values)).rows;
    }
    return noted;
  };
  if ((await note()) > 0) return;
  const [first] = rangeOf(jobs);
  const [open] = await query<{ last_id: string }>(on, sql.runs.findOpenRun, [first, runId]);
  if (open === undefined) return;
  const records = recordsOf({ runId, jobs });
  await change(on, sql.runs.writeOut(records.text), [...records.values, open.last_id]);
  await note();
}
