import { limitedJobStatements } from './admission/statements/limited-jobs.js';
import { limitStatements } from './admission/statements/limits.js';
import { pauseStatements } from './admission/statements/pauses.js';
import { rateStatements } from './admission/statements/rates.js';
import { auditStatements } from './audit/statements.js';
import { captureStatements } from './captures/statements.js';
import { claimStatements } from './claims/statements/claim.js';
import { leaseStatements } from './claims/statements/lease.js';
import { runStatements } from './claims/statements/runs.js';
import { settleStatements } from './claims/statements/settle.js';
import { siblingStatements } from './claims/statements/siblings.js';
import { surveyStatements } from './claims/statements/survey.js';
import { expiryStatements } from './expiry/statements.js';
import { followerStatements } from './followers/statements.js';
import { historyStatements } from './history/statements.js';
import { insightStatements } from './insight/statements.js';
import { enqueueStatements } from './jobs/statements/enqueue.js';
import { jobStatements } from './jobs/statements/jobs.js';
import { selectionStatements } from './jobs/statements/selection.js';
import { scheduleStatements } from './schedules/statements.js';
import { schemaStatements } from './schema/statements.js';
import { functions, tables } from './schema/tables.js';
import { ANCHOR_STATEMENTS } from './workers/statements/anchor.js';
import { bellStatements } from './workers/statements/bell.js';
import { workerStatements } from './workers/statements/workers.js';

/** Every SQL text of the driver. */
export type Statements = Readonly<ReturnType<typeof statements>>;

export const statements = (schema: string) => {
  const named = tables(schema);
  const called = functions(schema);
  return {
    history: historyStatements(named),
    insight: insightStatements(named),
    schema: schemaStatements(named),
    enqueues: enqueueStatements(named),
    bell: bellStatements(named),
    claims: claimStatements(named, called),
    siblings: siblingStatements(named),
    runs: runStatements(named),
    settlements: settleStatements(named),
    leases: leaseStatements(named),
    limits: limitStatements(named, called),
    limitedJobs: limitedJobStatements(named),
    pauses: pauseStatements(named),
    rates: rateStatements(named),
    schedules: scheduleStatements(named),
    captures: captureStatements(named),
    followers: followerStatements(named),
    expiry: expiryStatements(named),
    audit: auditStatements(named),
    surveys: surveyStatements(named),
    jobs: jobStatements(named),
    selection: selectionStatements(named),
    workers: workerStatements(named),
    anchor: ANCHOR_STATEMENTS,
  };
};
