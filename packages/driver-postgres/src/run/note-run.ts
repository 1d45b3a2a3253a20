import type { RunNote, RunRef } from '@rowlock/core/driver';
import { type PostgresTransaction, query } from '../query.js';
import type { Statements } from '../statements.js';

/** Writes to the records of a run. @throws DriverError */
export async function noteRun(
  on: PostgresTransaction,
  sql: Statements,
  { runId, jobs }: RunRef,
  { progress }: RunNote,
): Promise<void> {
  await query(on, sql.noteProgress, [jobs, runId, JSON.stringify(progress)]);
}
