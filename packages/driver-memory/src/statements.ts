// Every statement of the driver.

export { inUse, limitedJobs } from './admission/statements/limited-jobs.js';
export {
  enterLimits,
  leaveLimits,
  limitedParts,
  limitSettings,
  pruneSlots,
  setLimit,
} from './admission/statements/limits.js';
export { pause, pauses, resume } from './admission/statements/pauses.js';
export { giveBackStarts, takeStarts } from './admission/statements/rates.js';
export { claim } from './claims/statements/claim.js';
export { lease, lockLeased, reclaim } from './claims/statements/lease.js';
export type { Place } from './claims/statements/place.js';
export { endCrashed, noteProgress, release, startRuns } from './claims/statements/runs.js';
export { settle } from './claims/statements/settle.js';
export { firstOutstanding, lockSiblings } from './claims/statements/siblings.js';
export { dueQueues, survey } from './claims/statements/survey.js';
export { cancelExpired, expired } from './expiry/statements.js';
export { admit } from './followers/statements.js';
export { enqueue } from './jobs/statements/enqueue.js';
export { move, uniqueJobs, update } from './jobs/statements/jobs.js';
export { count, list, listIds } from './jobs/statements/selection.js';
export {
  dueSchedules,
  findSchedules,
  fireSchedules,
  noteBroken,
  pauseSchedule,
  removeSchedule,
  resumeSchedule,
  setSchedules,
} from './schedules/statements.js';
export { notify } from './workers/statements/bell.js';
export {
  addWorker,
  beat,
  forgetWorkers,
  keepWorker,
  reportLines,
  stopWorker,
  workers,
} from './workers/statements/workers.js';
