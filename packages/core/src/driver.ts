// What a driver is, and what drivers and their tests share. An application and its handlers need none of it.

export { systemClock } from './clock.js';
export { answerWithin } from './driver/answer-within.js';
export { BeatingAnchor, type Pulse } from './driver/beating-anchor.js';
export { despiteDeadlocks } from './driver/despite-deadlocks.js';
export type * from './driver/driver.js';
export { keepAsking } from './driver/keep-asking.js';
export { concerns, wakeUpOf } from './driver/wake-up.js';
export { milliseconds } from './duration.js';
export type { AnyHandler } from './handler/handler.js';
export { LIMITS } from './input.js';
export type { Job, JobId, NewJob } from './job/job.js';
export {
  type ClientEvent,
  isLegal,
  isSettled,
  OUTSTANDING,
  SETTLED,
  type SettlingEvent,
  TRANSITIONS,
  type Transition,
  type TransitionName,
} from './job/lifecycle.js';
export { newPublicId } from './job/public-id.js';
