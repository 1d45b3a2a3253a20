import type { ScheduleStore } from '@rowlock/core/driver';
import type { Execute } from '../engine/execute.js';
import {
  dueSchedules,
  findSchedules,
  fireSchedules,
  noteBroken,
  pauseSchedule,
  removeSchedule,
  resumeSchedule,
  setSchedules,
} from './statements.js';

/** The schedules of a database. */
export function schedulesOf(execute: Execute): ScheduleStore {
  return {
    find: (which) => execute((place) => findSchedules(place, which)),
    due: (except, limit) => execute((place) => dueSchedules(place, except, limit)),
    set: (schedules, by) => execute((place) => setSchedules(place, schedules, by)),
    pause: (name, by) => execute((place) => pauseSchedule(place, name, by)),
    resume: (name, fingerprint, nextAt) =>
      execute((place) => resumeSchedule(place, name, fingerprint, nextAt)),
    remove: (name) => execute((place) => removeSchedule(place, name)),
    fire: (firings) => execute((place) => fireSchedules(place, firings)),
    noteBroken: (read, why) => execute((place) => noteBroken(place, read, why)),
  };
}
