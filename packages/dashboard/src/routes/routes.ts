import { audit } from './audit.js';
import { captures } from './captures.js';
import { enqueue, kinds } from './enqueue.js';
import { errors, muteErrors, noteErrors, unmuteErrors } from './errors.js';
import { events } from './events.js';
import { job, jobCancel, jobRedrive, jobUpdate } from './job.js';
import { count, jobs } from './jobs.js';
import { limits, resetLimit, setLimit } from './limits.js';
import { many, move, runNow } from './many.js';
import { overview } from './overview.js';
import { pause, resume } from './pauses.js';
import { picture } from './picture.js';
import type { Route } from './route.js';
import { runs } from './runs.js';
import {
  pauseSchedule,
  previewSchedule,
  removeSchedule,
  resumeSchedule,
  runSchedule,
  schedules,
  ticksOfSchedule,
} from './schedules.js';
import { session } from './session.js';
import { setSchedule } from './set-schedule.js';
import { trend } from './trend.js';

const LIMITS_OF_ALL = 'Limits are of all queues that share them, and you may see some queues or kinds alone.';

const SHARED = { permission: 'read', isShared: true } as const;

/** Every call of the page, with the permission that it needs. */
export const ROUTES: Readonly<Record<string, Route>> = {
  'GET session': { permission: 'read', answer: session },
  'GET overview': { ...SHARED, answer: overview },
  'GET captures': { ...SHARED, answer: captures },
  'GET jobs': { ...SHARED, answer: jobs },
  'GET jobs/count': { permission: 'read', answer: count },
  'POST jobs/cancel': {
    permission: 'cancel',
    answer: many(({ operator }, ...given) => operator.jobs.cancelMany(...given)),
  },
  'POST jobs/redrive': {
    permission: 'redrive',
    answer: many(({ operator }, ...given) => operator.jobs.redriveMany(...given)),
  },
  'POST jobs/delete': {
    permission: 'delete',
    answer: many(({ operator }, ...given) => operator.jobs.deleteMany(...given)),
  },
  'POST jobs/run': { permission: 'update', answer: many(runNow) },
  'POST jobs/move': { permission: 'update', answer: many(move) },
  'GET job': { ...SHARED, answer: job },
  'POST job/cancel': { permission: 'cancel', answer: jobCancel },
  'POST job/redrive': { permission: 'redrive', answer: jobRedrive },
  'POST job/update': { permission: 'update', answer: jobUpdate },
  'GET kinds': { permission: 'read', answer: kinds },
  'POST enqueue': { permission: 'enqueue', answer: enqueue },
  'GET errors': { ...SHARED, answer: errors },
  'POST errors/mute': { permission: 'errors', answer: muteErrors },
  'POST errors/unmute': { permission: 'errors', answer: unmuteErrors },
  'POST errors/note': { permission: 'errors', answer: noteErrors },
  'POST pause': { permission: 'pause', answer: pause },
  'POST resume': { permission: 'pause', answer: resume },
  'GET picture': { ...SHARED, answer: picture },
  'GET runs': { ...SHARED, answer: runs },
  'GET trend': { ...SHARED, answer: trend },
  'GET events': { ...SHARED, answer: events },
  'GET audit': { ...SHARED, answer: audit },
  'GET schedules': { ...SHARED, answer: schedules },
  'GET schedules/preview': { permission: 'read', answer: previewSchedule },
  'GET schedules/ticks': { ...SHARED, answer: ticksOfSchedule },
  'POST schedules/set': { permission: 'enqueue', answer: setSchedule },
  'POST schedules/run': { permission: 'schedules', answer: runSchedule },
  'POST schedules/pause': { permission: 'schedules', answer: pauseSchedule },
  'POST schedules/resume': { permission: 'schedules', answer: resumeSchedule },
  'POST schedules/remove': { permission: 'schedules', answer: removeSchedule },
  'GET limits': { ...SHARED, isOfAll: LIMITS_OF_ALL, answer: limits },
  'POST limits/set': { permission: 'limits', answer: setLimit },
  'POST limits/reset': { permission: 'limits', answer: resetLimit },
};
