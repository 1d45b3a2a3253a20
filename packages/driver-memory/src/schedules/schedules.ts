import type { ScheduleStore } from '@rowlock/core/driver';
import type { Execute } from '../engine/execute.js';
import * as statements from '../statements.js';

/** The schedules of a database. */
export function schedulesOf(execute: Execute): ScheduleStore {
  return {
    find: (which) => execute((place) => statements.findSchedules(place, which)),
    due: (except, limit) => execute((place) => statements.dueSchedules(place, except, limit)),
    set: (schedules, by) => execute((place) => statements.setSchedules(place, schedules, by)),
    pause: (name, by) => execute((place) => statements.pauseSchedule(place, name, by)),
    resume: (name, fingerprint, nextAt) =>
      execute((place) => statements.resumeSchedule(place, name, fingerprint, nextAt)),
    remove: (name) => execute((place) => statements.removeSchedule(place, name)),
    fire: (firings) => execute((place) => statements.fireSchedules(place, firings)),
    noteBroken: (read, why) => execute((place) => statements.noteBroken(place, read, why)),
  };
}
