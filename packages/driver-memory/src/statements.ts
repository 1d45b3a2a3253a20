// Every statement of the driver.

export { notify } from './statements/bell.js';
export { claim } from './statements/claim.js';
export { enqueue } from './statements/enqueue.js';
export { admit } from './statements/followers.js';
export { move, uniqueJobs, update } from './statements/jobs.js';
export { lease, lockLeased, reclaim } from './statements/lease.js';
export { inUse, limitedJobs } from './statements/limited-jobs.js';
export {
  enterLimits,
  leaveLimits,
  limitedParts,
  limitSettings,
  pruneSlots,
  setLimit,
} from './statements/limits.js';
export { pause, pauses, resume } from './statements/pauses.js';
export type { Place } from './statements/place.js';
export { giveBackStarts, takeStarts } from './statements/rates.js';
export { endCrashed, noteProgress, release, startRuns } from './statements/runs.js';
export {
  dueSchedules,
  findSchedules,
  fireSchedules,
  pauseSchedule,
  removeSchedule,
  resumeSchedule,
  setSchedules,
} from './statements/schedules.js';
export { count, list, listIds } from './statements/selection.js';
export { settle } from './statements/settle.js';
export { firstOutstanding, lockSiblings } from './statements/siblings.js';
export { dueQueues, survey } from './statements/survey.js';
export {
  addWorker,
  beat,
  forgetWorkers,
  keepWorker,
  reportLines,
  stopWorker,
  workers,
} from './statements/workers.js';
