import { type SuitePart, themesOf } from './suite-part.js';
import { leased, leasedProof, proof, type Theme } from './theme.js';
import { article } from './themes/article.js';
import { atomicUpdates } from './themes/atomic-updates.js';
import { audit } from './themes/audit.js';
import { batchSizes } from './themes/batch-sizes.js';
import { batches } from './themes/batches.js';
import { begunRuns } from './themes/begun-runs.js';
import { bounds } from './themes/bounds.js';
import { bursts, largeBursts } from './themes/bursts.js';
import { callersTransactions } from './themes/callers-transactions.js';
import { cancel } from './themes/cancel.js';
import { captures } from './themes/captures.js';
import { changes } from './themes/changes.js';
import { claim } from './themes/claim.js';
import { claimSession } from './themes/claim-session.js';
import { codecs } from './themes/codecs.js';
import { connections } from './themes/connections.js';
import { contexts } from './themes/contexts.js';
import { crashedBatches } from './themes/crashed-batches.js';
import { dependencies } from './themes/dependencies.js';
import { dueQueues } from './themes/due-queues.js';
import { enqueue } from './themes/enqueue.js';
import { errors } from './themes/errors.js';
import { exclusion } from './themes/exclusion.js';
import { expiry } from './themes/expiry.js';
import { explanations } from './themes/explanations.js';
import { failures } from './themes/failures.js';
import { filters } from './themes/filters.js';
import { followers } from './themes/followers.js';
import { grouping } from './themes/grouping.js';
import { handlerTransaction } from './themes/handler-transaction.js';
import { handlers } from './themes/handlers.js';
import { heartbeats } from './themes/heartbeats.js';
import { idleWorker } from './themes/idle-worker.js';
import { idsAgain } from './themes/ids-again.js';
import { jobRuns } from './themes/job-runs.js';
import { joinedEnqueue } from './themes/joined-enqueue.js';
import { leasedRuns } from './themes/leased-runs.js';
import { leases } from './themes/leases.js';
import { lifecycle } from './themes/lifecycle.js';
import { limitedRuns } from './themes/limited-runs.js';
import { limits } from './themes/limits.js';
import { limitsInUse } from './themes/limits-in-use.js';
import { listCountMove } from './themes/list-count-move.js';
import { liveness } from './themes/liveness.js';
import { looks } from './themes/looks.js';
import { lostClaim } from './themes/lost-claim.js';
import { lostConnection } from './themes/lost-connection.js';
import { many } from './themes/many.js';
import { migrate } from './themes/migrate.js';
import { openCalls } from './themes/open-calls.js';
import { openRuns } from './themes/open-runs.js';
import { order } from './themes/order.js';
import { outcomes } from './themes/outcomes.js';
import { pausedRuns } from './themes/paused-runs.js';
import { pauses } from './themes/pauses.js';
import { pictures } from './themes/pictures.js';
import { plugins } from './themes/plugins.js';
import { ratedRuns } from './themes/rated-runs.js';
import { rates } from './themes/rates.js';
import { realms } from './themes/realms.js';
import { receipts } from './themes/receipts.js';
import { refusedRows } from './themes/refused-rows.js';
import { refusedSettlements } from './themes/refused-settlements.js';
import { replacingEnqueues } from './themes/replacing.js';
import { reportedRuns } from './themes/reported-runs.js';
import { retention } from './themes/retention.js';
import { roundTrip } from './themes/round-trip.js';
import { runningJob } from './themes/running-job.js';
import { runs } from './themes/runs.js';
import { scheduledJobs } from './themes/scheduled-jobs.js';
import { schedules } from './themes/schedules.js';
import { settle } from './themes/settle.js';
import { shutdown } from './themes/shutdown.js';
import { siblings } from './themes/siblings.js';
import { silence } from './themes/silence.js';
import { smallTables } from './themes/small-tables.js';
import { statistics, tallies } from './themes/statistics.js';
import { survey } from './themes/survey.js';
import { trend } from './themes/trend.js';
import { twoVersions } from './themes/two-versions.js';
import { uniqueKeys } from './themes/unique-keys.js';
import { untilIdle } from './themes/until-idle.js';
import { waitingCallers } from './themes/waiting-callers.js';
import { wakeUps } from './themes/wake-ups.js';

/** All of the suite, in the order it runs. */
export const conformanceThemes: readonly Theme[] = [
  migrate,
  enqueue,
  uniqueKeys,
  replacingEnqueues,
  leasedProof(replacingEnqueues),
  joinedEnqueue,
  callersTransactions,
  roundTrip,
  claim,
  siblings,
  dependencies,
  followers,
  expiry,
  leasedProof(expiry),
  settle,
  claimSession,
  limits,
  pauses,
  rates,
  handlerTransaction,
  lostConnection,
  lifecycle,
  runs,
  openRuns,
  idsAgain,
  receipts,
  leases,
  dueQueues,
  survey,
  schedules,
  captures,
  retention,
  smallTables,
  listCountMove,
  filters,
  reportedRuns,
  jobRuns,
  leasedProof(jobRuns),
  begunRuns,
  leasedProof(begunRuns),
  atomicUpdates,
  leasedProof(atomicUpdates),
  changes,
  leasedProof(changes),
  many,
  audit,
  bursts,
  proof(largeBursts),
  wakeUps,
  errors,
  article,
  exclusion,
  leased(exclusion),
  grouping,
  leased(grouping),
  order,
  leased(order),
  batches,
  crashedBatches,
  batchSizes,
  liveness,
  leased(liveness),
  idleWorker,
  leased(idleWorker),
  untilIdle,
  leasedProof(untilIdle),
  connections,
  leasedProof(connections),
  lostClaim,
  leasedRuns,
  limitedRuns,
  leasedProof(limitedRuns),
  pausedRuns,
  leasedProof(pausedRuns),
  ratedRuns,
  leasedProof(ratedRuns),
  explanations,
  leasedProof(explanations),
  limitsInUse,
  leasedProof(limitsInUse),
  looks,
  pictures,
  leasedProof(pictures),
  tallies,
  statistics,
  leasedProof(statistics),
  trend,
  waitingCallers,
  leasedProof(waitingCallers),
  heartbeats,
  silence,
  refusedRows,
  refusedSettlements,
  outcomes,
  leasedProof(outcomes),
  failures,
  leasedProof(failures),
  codecs,
  twoVersions,
  leasedProof(twoVersions),
  runningJob,
  cancel,
  scheduledJobs,
  bounds,
  handlers,
  leasedProof(handlers),
  contexts,
  realms,
  openCalls,
  leasedProof(openCalls),
  plugins,
  leasedProof(plugins),
  shutdown,
];

/** The name of every test of the suite, or of a part of it: `claim > takes jobs in the order of priority, then of id`. */
export function conformanceTests(part: SuitePart = { number: 1, of: 1 }): readonly string[] {
  return themesOf(conformanceThemes, part).flatMap(({ name, tests }) =>
    tests.map((test) => `${name} > ${test.name}`),
  );
}
