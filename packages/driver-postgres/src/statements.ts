import { historyStatements } from './history/statements.js';
import { insightStatements } from './insight/statements.js';
import { schemaStatements } from './schema/statements.js';
import { ANCHOR_STATEMENTS } from './statements/anchor.js';
import { bellStatements } from './statements/bell.js';
import { captureStatements } from './statements/captures.js';
import { claimStatements } from './statements/claim.js';
import { enqueueStatements } from './statements/enqueue.js';
import { followerStatements } from './statements/followers.js';
import { jobStatements } from './statements/jobs.js';
import { leaseStatements } from './statements/lease.js';
import { limitedJobStatements } from './statements/limited-jobs.js';
import { limitStatements } from './statements/limits.js';
import { pauseStatements } from './statements/pauses.js';
import { rateStatements } from './statements/rates.js';
import { runStatements } from './statements/runs.js';
import { scheduleStatements } from './statements/schedules.js';
import { selectionStatements } from './statements/selection.js';
import { settleStatements } from './statements/settle.js';
import { siblingStatements } from './statements/siblings.js';
import { surveyStatements } from './statements/survey.js';
import { functions, tables } from './statements/tables.js';
import { workerStatements } from './statements/workers.js';

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
    surveys: surveyStatements(named),
    jobs: jobStatements(named),
    selection: selectionStatements(named),
    workers: workerStatements(named),
    anchor: ANCHOR_STATEMENTS,
  };
};
