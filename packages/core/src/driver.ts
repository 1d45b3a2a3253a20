// What a driver is, and what drivers share. An application and its handlers need none of it.

export { answerWithin } from './driver/answer-within.js';
export { BeatingAnchor, type Pulse } from './driver/beating-anchor.js';
export { despiteDeadlocks } from './driver/despite-deadlocks.js';
export type * from './driver/driver.js';
export { keepAsking } from './driver/keep-asking.js';
export { concerns, wakeUpOf } from './driver/wake-up.js';
export type { Job, JobId, NewJob } from './job/job.js';
export {
  type ClientEvent,
  isLegal,
  type SettlingEvent,
  TRANSITIONS,
  type Transition,
  type TransitionName,
} from './job/lifecycle.js';
export { newPublicId } from './job/public-id.js';
