import type { Admission, JoinableAdmission } from '@rowlock/core/driver';
import type { Execute } from '../execute.js';
import * as statements from '../statements.js';

export function joinableAdmissionOf(execute: Execute): JoinableAdmission {
  return {
    setLimit: (name, numbers, by) => execute((place) => statements.setLimit(place, name, numbers, by)),

    limits: () => execute(statements.limits),

    pause: (pause, mode) => execute((place) => statements.pause(place, pause, mode)),

    resume: (target) => execute((place) => statements.resume(place, target)),

    pauses: () => execute(statements.pauses),
  };
}

export function admissionOf(execute: Execute): Admission {
  return {
    ...joinableAdmissionOf(execute),

    limitedParts: (stretch) => execute((place) => statements.limitedParts(place, stretch)),

    limitedJobs: (bounds) => execute((place) => statements.limitedJobs(place, bounds)),

    takenSlots: (names) => execute((place) => statements.takenSlots(place, names)),

    rateTimes: (names) => execute((place) => statements.rateTimes(place, names)),

    takeStarts: (rates, take) => execute((place) => statements.takeStarts(place, rates, take)),

    giveBackStarts: (names, take) => execute((place) => statements.giveBackStarts(place, names, take)),

    pruneSlots: (beyond, ageMs) => execute((place) => statements.pruneSlots(place, beyond, ageMs)),
  };
}
