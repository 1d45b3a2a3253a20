// What a driver is, and what drivers share. An application and its handlers need none of it.

export type * from './driver/anchor.js';
export { answerWithin } from './driver/answer-within.js';
export { BeatingAnchor, type Pulse } from './driver/beating-anchor.js';
export type * from './driver/claim-session.js';
export { despiteDeadlocks } from './driver/despite-deadlocks.js';
export type * from './driver/driver.js';
export type * from './driver/history.js';
export { keepAsking } from './driver/keep-asking.js';
export { runOver } from './driver/run-over.js';
export type * from './driver/run-record.js';
export type * from './driver/store.js';
export type * from './driver/survey.js';
export { concerns, type WakeUp, wakeUpOf } from './driver/wake-up.js';
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
