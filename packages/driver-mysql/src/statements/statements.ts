import { ANCHOR_STATEMENTS } from './anchor.js';
import { bellStatements } from './bell.js';
import { claimStatements } from './claim.js';
import { enqueueStatements } from './enqueue.js';
import { jobStatements } from './jobs.js';
import { leaseStatements } from './lease.js';
import { pruneStatements } from './prune.js';
import { runStatements } from './runs.js';
import { settleStatements } from './settle.js';
import { siblingStatements } from './siblings.js';
import { surveyStatements } from './survey.js';
import { tables } from './tables.js';
import { workerStatements } from './workers.js';

/** Every SQL text of the driver. Lists of placeholders are given, and rows as a table of them. */
export type Statements = Readonly<ReturnType<typeof statements>>;

export const statements = (schema: string) => {
  const named = tables(schema);
  return {
    ...enqueueStatements(named),
    ...bellStatements(named),
    ...claimStatements(named),
    ...siblingStatements(named),
    ...runStatements(named),
    ...settleStatements(named),
    ...leaseStatements(named),
    ...surveyStatements(named),
    ...pruneStatements(named),
    ...jobStatements(named),
    ...workerStatements(named),
    ...ANCHOR_STATEMENTS,
    schemaVersion: `SELECT COALESCE(MAX(version), 0) AS version FROM ${named.migration}`,
  };
};
